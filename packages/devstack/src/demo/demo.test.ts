import type { LogEntry } from '@jobline/client';
import { expect, it } from 'vitest';
import { formatLog } from './demo.js';

it('formats the log of a job with the time since the submission, one line per entry', () => {
  const entry = (attempt: number, level: LogEntry['level'], message: string, timestamp: string) => ({
    attempt,
    level,
    message,
    timestamp: `2026-11-21T08:00:${timestamp}Z`,
  });
  const log = [
    entry(1, 'info', 'attempt 1 started', '00.012'),
    entry(1, 'error', 'the receiver answered 500', '00.034'),
    entry(10, 'info', 'done', '12.500'),
  ];
  expect(formatLog('2026-11-21T08:00:00.000Z', log)).toEqual([
    '+0.012 s  attempt 1  info  attempt 1 started',
    '+0.034 s  attempt 1  error  the receiver answered 500',
    '+12.500 s  attempt 10  info  done',
  ]);
});
