import { expect, it, test } from 'vitest';
import { type JobLogEntry, jobLogMessage, storableText } from './job-log.js';

const NONE = { attempt: 2, message: null, durationMs: null, nextAttemptAt: null, errorCode: null };
const DUE = new Date('2026-11-23T10:00:00.000Z');

test.each<[Partial<JobLogEntry> & Pick<JobLogEntry, 'kind'>, string]>([
  [{ kind: 'started' }, 'attempt 2 started'],
  [{ kind: 'log', message: 'hello' }, 'hello'],
  [{ kind: 'log', message: '' }, ''],
  [{ kind: 'note', message: 'a remark' }, 'a remark'],
  [{ kind: 'succeeded', durationMs: 7 }, 'attempt 2 succeeded in 7 ms'],
  [{ kind: 'succeeded', durationMs: 7, message: 'not stored' }, 'attempt 2 succeeded in 7 ms; not stored'],
  [
    { kind: 'failed', durationMs: 7, message: 'broken', errorCode: 'handler_error', nextAttemptAt: DUE },
    'attempt 2 failed: broken; the next attempt is due at 2026-11-23T10:00:00.000Z',
  ],
  [
    { kind: 'failed', durationMs: 7, message: 'broken', errorCode: 'timeout' },
    'attempt 2 failed: broken; no attempt follows',
  ],
  [{ kind: 'failed', durationMs: 0, message: 'no handler', errorCode: 'no_handler' }, 'no handler'],
  [{ kind: 'released', durationMs: 7, message: 'shutting down' }, 'attempt 2 released: shutting down'],
  [
    { kind: 'released', durationMs: 7, message: 'over the rate', nextAttemptAt: DUE },
    'attempt 2 released: over the rate; the next attempt is due at 2026-11-23T10:00:00.000Z',
  ],
  [{ kind: 'worker_lost', durationMs: 7 }, 'the worker died during attempt 2; the job is pending again'],
  [
    { kind: 'worker_lost', durationMs: 7, message: '5 workers died', errorCode: 'worker_lost' },
    'the worker died during attempt 2; 5 workers died, no attempt follows',
  ],
  [{ kind: 'canceled', message: 'the job was canceled', errorCode: 'canceled' }, 'the job was canceled'],
  [{ kind: 'canceled', durationMs: 7, errorCode: 'canceled' }, 'attempt 2 canceled'],
  [
    { kind: 'canceled', durationMs: 7, message: 'its worker died', errorCode: 'canceled' },
    'attempt 2 canceled: its worker died',
  ],
])('the job log shows the entry %j as "%s"', (entry, sentence) => {
  expect(jobLogMessage({ ...NONE, ...entry })).toBe(sentence);
});

it.each([
  ['plain', 'plain', 100],
  ['nul \0', 'nul \ufffd', 100],
  ['broken \ud83d', 'broken \ufffd', 100],
  ['\udc00 first', '\ufffd first', 100],
  ['whole 😀', 'whole 😀', 100],
  ['abcdef', 'abc', 3],
  ['žžž', 'žž', 5],
  ['a😀b', 'a', 4],
  ['a😀b', 'a😀', 5],
  ['', '', 5],
])('%j is stored as %j within %i bytes', (text, stored, maxBytes) => {
  expect(storableText(text, maxBytes)).toBe(stored);
  expect(Buffer.byteLength(storableText(text, maxBytes))).toBeLessThanOrEqual(maxBytes);
});
