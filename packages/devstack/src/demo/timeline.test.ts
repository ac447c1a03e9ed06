import { expect, it } from 'vitest';
import { formatTimeline } from './timeline.js';

it('tells a job with the time since its submission, one line an entry, in columns', () => {
  const entry = (attempt: number, level: string, message: string, timestamp: string) => ({
    attempt,
    level,
    message,
    timestamp: `2026-11-21T08:00:${timestamp}Z`,
  });
  const lines = formatTimeline('2026-11-21T08:00:00.000Z', [
    entry(1, 'info', 'attempt 1 started', '00.012'),
    entry(1, 'error', 'the receiver answered 500', '00.034'),
    entry(10, 'info', 'done', '12.500'),
  ]);
  expect(lines).toEqual([
    ' +0.012 s  attempt 1   info   attempt 1 started',
    ' +0.034 s  attempt 1   error  the receiver answered 500',
    '+12.500 s  attempt 10  info   done',
  ]);
});
