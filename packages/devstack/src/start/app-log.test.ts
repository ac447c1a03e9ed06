import { describe, expect, it } from 'vitest';
import { toTrouble } from './app-log.js';

describe('what the terminal shows of an app', () => {
  it('shows warnings and errors in one line, with their cause and fields', () => {
    const line = JSON.stringify({
      level: 'error',
      message: 'the batch\n  failed',
      app: 'worker',
      timestamp: '2026-11-21T08:00:00.000Z',
      job: 'j1',
      error: { name: 'Error', message: 'connection lost', stack: 'Error: connection lost\n at …' },
    });
    expect(toTrouble(line)).toBe('error: the batch failed (connection lost) job=j1');
  });

  it('keeps quiet about information and empty lines', () => {
    expect(toTrouble('{"level":"info","message":"listening"}')).toBeNull();
    expect(toTrouble('{"message":"listening","level":"debug"}')).toBeNull();
    expect(toTrouble(' ')).toBeNull();
  });

  it('shows what is not a log line as it is, cut to a terminal', () => {
    expect(toTrouble('TypeError: x is not a function')).toBe('TypeError: x is not a function');
    expect(toTrouble('x'.repeat(1000))).toHaveLength(300);
  });
});
