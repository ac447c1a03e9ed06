import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { checkHistory } from './check-history.js';
import type { Expected, Story } from './check-job.js';
import { checkTimes } from './check-times.js';
import { send } from './http.js';
import type { PublicApi } from './public-api.js';
import { startRecorder } from './recorder.js';
import { createRecords } from './records.js';

const EXPECTED: Expected = { end: 'done', failures: 1, lines: null, hasAttempts: true, isReported: true };
const idOf = (n: number) => `00000000-0000-7000-8000-${String(n).padStart(12, '0')}`;
const at = new Date().toISOString();
const entry = (attempt: number, kind: string) => ({ attempt, kind, timestamp: at, message: kind });
const STORY: Story = {
  log: [entry(1, 'started'), entry(1, 'failed'), entry(2, 'started'), entry(2, 'succeeded')],
  attempts: [
    { attempt: 1, outcome: 'failed' },
    { attempt: 2, outcome: 'succeeded' },
  ],
};

test('a history with a lost, a stuck and a right job has one finding for each of the first two', async () => {
  const records = createRecords(10);
  for (const n of [1, 3, 5]) {
    records.accepted(n, idOf(n));
    for (const attempt of [1, 2]) records.called(n, attempt);
    records.answered(n);
    records.reported(n);
  }
  records.rejected(7);
  const statuses = new Map([
    [idOf(1), 'done'],
    [idOf(3), 'processing'],
  ]);
  const api: PublicApi = {
    ask: () => Promise.reject(new Error('not used')),
    statuses: async () => statuses,
    story: async () => STORY,
  };

  const fault = { from: 0, to: Date.now() };
  const options = {
    records,
    api,
    expectedOf: () => EXPECTED,
    isLater: () => false,
    fault,
    onProgress: () => undefined,
  };
  const summary = await checkHistory(options);

  expect(summary).toMatchObject({ accepted: 3, rejected: 1, finished: 1, logs: 2, repeated: 0 });
  expect(Object.fromEntries(summary.findings)).toEqual({ stuck: 1, lost: 1 });
});

test('the recorder counts calls by submission and attempt, and answers as planned', async () => {
  const records = createRecords(10);
  records.accepted(4, idOf(4));
  const recorder = await startRecorder(records, () => EXPECTED);
  const post = async (path: string, body?: object) =>
    (await send(recorder.url + path, { method: 'POST', ...(body && { body }) })).status;

  expect(await post('/run/4/1?ms=0')).toBe(500);
  expect(records.get(4)).toMatchObject({ calls: 1, attempts: [1], answeredAt: null, isReported: false });
  expect(await post('/run/4/2?ms=5')).toBe(200);
  expect(await post('/api/chat.postMessage', { text: 'job 4' })).toBe(200);
  await post('/events', { type: 'job.failed', data: { tags: ['n-4'] } });
  await recorder.close();

  expect(records.get(4)).toMatchObject({ calls: 3, attempts: [1, 2], isReported: true, hasRepeatedAttempt: false });
  expect(records.get(4)?.answeredAt).not.toBeNull();
});

test('a request without a response says whether it may have had an effect', async () => {
  const recorder = await startRecorder(createRecords(1), () => EXPECTED);
  await recorder.close();

  expect(await send(recorder.url)).toEqual({ status: null, wasSent: false });
});

test('a schedule whose times have a gap and a repetition has a problem for each', () => {
  const second = (n: number) => Date.parse('2026-01-01T00:00:00Z') + n * 1_000;

  expect(checkTimes([15, 0, 5, 10].map(second), 5_000)).toEqual([]);
  expect(checkTimes([0, 5, 5, 20].map(second), 5_000)).toEqual([
    '2026-01-01T00:00:05.000Z has more than one job',
    '2 times after 2026-01-01T00:00:05.000Z have no job',
  ]);
});

test('the checker imports nothing of the product', () => {
  const dir = fileURLToPath(new URL('.', import.meta.url));
  const sources = readdirSync(dir).filter((name) => !name.endsWith('.test.ts'));
  const imported = sources.flatMap((name) =>
    [...readFileSync(dir + name, 'utf8').matchAll(/from '([^']+)'/g)].map(([, from]) => from),
  );

  expect(imported.length).toBeGreaterThan(0);
  expect(imported.filter((from) => !/^(node:|\.\/)/.test(from ?? ''))).toEqual([]);
});
