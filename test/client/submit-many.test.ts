import { JoblineError } from '@jobline/client';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ClientWorld, createClientWorld, rejection } from './client-world.js';

let at: ClientWorld;

beforeAll(async () => {
  at = await createClientWorld();
});
afterAll(() => at.end());

async function countOf(tag: string): Promise<number> {
  let count = 0;
  for await (const _job of at.client.jobs.all({ tag, limit: 1_000 })) count++;
  return count;
}

it('an async iterable is read only as far as batches can be sent', async () => {
  let read = 0;
  let most = 0;
  let done = 0;
  async function* jobs() {
    for (; read < 6_000; read++) yield { type: 'echo', payload: { n: read }, tags: ['stream'] };
  }
  const ids = await at.client.jobs.submitMany(jobs(), {
    onProgress({ submitted, total }) {
      expect(total).toBeUndefined();
      most = Math.max(most, read - done);
      done = submitted;
    },
  });

  expect(ids).toHaveLength(6_000);
  expect(await countOf('stream')).toBe(6_000);
  // Three batches that are under way, and the next one.
  expect(most).toBeLessThanOrEqual(4_001);
});

it('jobs with large payloads are sent in batches that the API accepts', async () => {
  const text = 'ü'.repeat(100_000);
  const ids = await at.client.jobs.submitMany(
    Array.from({ length: 30 }, () => ({ type: 'echo', payload: { text }, tags: ['large'] })),
  );

  expect(new Set(ids).size).toBe(30);
  expect(await countOf('large')).toBe(30);
});

it('a job may wait for an earlier job of the list, which another batch has', async () => {
  const job = (n: number) => ({
    type: 'echo',
    payload: { n },
    id: `chain-${n}`,
    ...(n > 0 && { after: [`chain-${n - 1}`] }),
  });
  const filling = Array.from({ length: 999 }, (_, n) => ({ type: 'echo', payload: { n } }));

  await at.client.jobs.submitMany([job(0), ...filling, job(1), ...filling, job(2)]);

  expect(await at.client.jobs.wait('chain-2')).toMatchObject({
    status: 'done',
    after: [{ id: 'chain-1', state: 'met' }],
  });
});

it('an empty list sends nothing', async () => {
  expect(await at.client.jobs.submitMany([])).toEqual([]);
});

it('with a key, the same list is stored once however often it is submitted', async () => {
  const jobs = Array.from({ length: 1_100 }, (_, n) => ({ type: 'echo', payload: { n }, tags: ['keyed'] }));
  const first = await at.client.jobs.submitMany(jobs, { idempotencyKey: 'import-1' });

  expect(await at.client.jobs.submitMany(jobs, { idempotencyKey: 'import-1' })).toEqual(first);
  expect(await countOf('keyed')).toBe(1_100);
});

it('a job that is refused is named by its place in the list', async () => {
  const jobs = Array.from({ length: 1_500 }, (_, n) => ({
    type: 'echo',
    payload: {},
    max_retries: n === 1_234 ? -1 : 0,
  }));
  const error = await rejection(at.client.jobs.submitMany(jobs));

  expect(error).toBeInstanceOf(JoblineError);
  expect(error).toMatchObject({ code: 'validation_failed', details: [{ path: 'jobs[1234].max_retries' }] });
});

it('it ends with the reason of its signal, and with an error of the list', async () => {
  const stop = new AbortController();
  stop.abort(new Error('enough'));
  const job = { type: 'echo', payload: {}, tags: ['stopped'] };
  expect(await rejection(at.client.jobs.submitMany([job], { signal: stop.signal }))).toEqual(new Error('enough'));
  expect(await countOf('stopped')).toBe(0);

  function* broken() {
    yield job;
    throw new Error('the file ends here');
  }
  expect(await rejection(at.client.jobs.submitMany(broken()))).toEqual(new Error('the file ends here'));
});

it('a list above the rate limit is submitted at the speed of the limit', async () => {
  const limited = await createClientWorld({ limits: { submitPerS: 1_000 } });
  try {
    const jobs = Array.from({ length: 4_500 }, (_, n) => ({ type: 'echo', payload: { n } }));
    const ids = await limited.client.jobs.submitMany(jobs);

    expect(new Set(ids).size).toBe(4_500);
  } finally {
    await limited.end();
  }
});

it('with a key, a list that is corrected after a rejected job stores no job twice', async () => {
  const job = (n: number) => ({ type: 'echo', payload: { n }, tags: ['corrected'] });
  const jobs = Array.from({ length: 3_100 }, (_, n) => job(n));
  const wrong = jobs.with(1_500, { ...job(1_500), type: 'not a type' });
  const options = { idempotencyKey: 'import-2' };

  await expect(at.client.jobs.submitMany(wrong, options)).rejects.toMatchObject({ code: 'validation_failed' });
  expect(await countOf('corrected')).toBe(1_000);
  const ids = await at.client.jobs.submitMany(jobs.toSpliced(1_500, 1), options);

  expect(new Set(ids).size).toBe(3_099);
  expect(await countOf('corrected')).toBe(3_099);
});
