import { describe, expect, it } from 'vitest';
import { toWarning } from './run-apps.js';

describe('the line that npm start prints for a log line of an app', () => {
  it('contains the message, the cause and the fields of a warning or error', () => {
    const line = JSON.stringify({
      level: 'error',
      message: 'the batch\n  failed',
      app: 'worker',
      timestamp: '2026-11-21T08:00:00.000Z',
      job: 'j1',
      error: { name: 'Error', message: 'connection lost', stack: 'Error: connection lost\n at …' },
    });
    expect(toWarning(line)).toBe('error: the batch failed (connection lost) job=j1');
  });

  it('is missing for information and for empty lines', () => {
    expect(toWarning('{"level":"info","message":"listening"}')).toBeNull();
    expect(toWarning('{"message":"listening","level":"debug"}')).toBeNull();
    expect(toWarning(' ')).toBeNull();
  });

  it('is the line itself, shortened, if the line is not of the logger', () => {
    expect(toWarning('TypeError: x is not a function')).toBe('TypeError: x is not a function');
    expect(toWarning('x'.repeat(1000))).toHaveLength(300);
  });
});
