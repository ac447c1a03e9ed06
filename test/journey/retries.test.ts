import { createCatalogue, defineHandler, HandlerError, PermanentError, RetryLater } from '@jobline/handlers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  createWorld,
  linesOf,
  type Person,
  register,
  runToEnd,
  submitJob,
  until,
  type World,
} from '../harness/index.js';

let world: World;
let person: Person;
const calls = new Map<string, number>();

/** Fails as its payload says, `times` times. */
const failing = defineHandler<{ name: string; times: number; how?: string }>({
  type: 'failing',
  async run({ name, times, how = 'error' }, ctx) {
    const call = (calls.get(name) ?? 0) + 1;
    calls.set(name, call);
    if (call > times) return { call };
    ctx.log('info', `about to fail for the ${call}. time`);
    if (how === 'permanent') throw new PermanentError('the address is gone');
    if (how === 'later') throw new RetryLater(400, 'come back later');
    if (how === 'much later') throw new RetryLater(600_000, 'come back much later');
    if (how === 'rejected') throw new HandlerError('provider_rejected', 'not like this');
    if (how === 'string') throw 'a bare string';
    throw new Error('broken');
  },
});

beforeAll(async () => {
  world = await createWorld();
  const api = await world.api();
  await world.worker({ catalogue: createCatalogue([failing]), retryBaseMs: 40 });
  person = await register(api.call);
});
afterAll(() => world.end());

describe('a job whose handler fails', () => {
  const rows = [
    { times: 0, maxRetries: 0, status: 'done', retries: 0, attempts: 1 },
    { times: 0, maxRetries: 3, status: 'done', retries: 0, attempts: 1 },
    { times: 1, maxRetries: 0, status: 'failed', retries: 0, attempts: 1 },
    { times: 1, maxRetries: 1, status: 'done', retries: 1, attempts: 2 },
    { times: 9, maxRetries: 1, status: 'failed', retries: 1, attempts: 2 },
    { times: 2, maxRetries: 3, status: 'done', retries: 2, attempts: 3 },
    { times: 3, maxRetries: 3, status: 'done', retries: 3, attempts: 4 },
    { times: 9, maxRetries: 3, status: 'failed', retries: 3, attempts: 4 },
  ];
  it.each(rows)(
    'a job whose handler fails $times times with max_retries $maxRetries ends $status after $attempts attempts',
    async (row) => {
      const name = JSON.stringify(row);
      const story = await runToEnd(person, 'failing', { name, times: row.times }, { max_retries: row.maxRetries });

      expect(story.job).toMatchObject({ status: row.status, retries: row.retries, max_retries: row.maxRetries });
      expect(calls.get(name)).toBe(row.attempts);
      const started = story.logs.filter((line) => /^attempt \d+ started$/.test(line.message));
      expect(started.map((line) => line.attempt)).toEqual(Array.from({ length: row.attempts }, (_, i) => i + 1));
    },
  );

  it('each attempt is logged separately, in order, with the reason on its last line', async () => {
    const story = await runToEnd(person, 'failing', { name: 'separately', times: 1 }, { max_retries: 1 });

    expect(linesOf(story)).toEqual([
      '1 info attempt 1 started',
      '1 info about to fail for the 1. time',
      expect.stringMatching(/^1 error attempt 1 failed: broken; the next attempt is due at \S+Z$/),
      '2 info attempt 2 started',
      expect.stringMatching(/^2 info attempt 2 succeeded in \d+ ms$/),
    ]);
    const times = story.logs.map((line) => line.timestamp);
    expect(times).toEqual([...times].sort());
    expect(story.result).toMatchObject({ status: 'done', result: { call: 2 }, error: null });
  });

  it('a failed job is pending while it waits for its re-run', async () => {
    const id = await submitJob(person, 'failing', { name: 'waiting', times: 1, how: 'much later' }, { max_retries: 1 });

    const waiting = await until('the job to wait', async () => {
      const { body } = await person.get(`/jobs/${id}`);
      return body.retries === 1 && body.status !== 'done' && body;
    });

    expect(waiting).toMatchObject({ status: 'pending', retries: 1 });
  });

  it('a retry waits at least as long as RetryLater asks', async () => {
    const story = await runToEnd(person, 'failing', { name: 'later', times: 1, how: 'later' }, { max_retries: 1 });

    const [failed, restarted] = [story.logs[2], story.logs[3]];
    expect(failed?.message).toMatch(/^attempt 1 failed: come back later; the next attempt is due at \S+Z$/);
    expect(Date.parse(restarted?.timestamp ?? '') - Date.parse(failed?.timestamp ?? '')).toBeGreaterThanOrEqual(400);
  });

  it('retries wait longer each time: at least 80 % of the base, doubled', async () => {
    const story = await runToEnd(person, 'failing', { name: 'doubling', times: 9 }, { max_retries: 4 });

    const waits = story.entries.flatMap((entry) =>
      entry.next_attempt_at === null ? [] : [Date.parse(entry.next_attempt_at) - Date.parse(entry.timestamp)],
    );
    expect(waits).toHaveLength(4);
    waits.forEach((waitMs, i) => {
      expect(waitMs).toBeGreaterThanOrEqual(40 * 2 ** i * 0.8 - 1);
    });
  });

  it('a job is not retried after a PermanentError', async () => {
    const story = await runToEnd(person, 'failing', { name: 'gone', times: 9, how: 'permanent' }, { max_retries: 5 });

    expect(story.job).toMatchObject({ status: 'failed', retries: 0 });
    expect(story.result.error).toEqual({ code: 'handler_error', message: 'the address is gone' });
    expect(linesOf(story).at(-1)).toBe('1 error attempt 1 failed: the address is gone; no attempt follows');
  });

  it("a job is retried after a provider's rejection, and its result has the provider's code", async () => {
    const story = await runToEnd(person, 'failing', { name: 'refused', times: 9, how: 'rejected' }, { max_retries: 1 });

    expect(story.job.retries).toBe(1);
    expect(story.result.error).toEqual({ code: 'provider_rejected', message: 'not like this' });
  });

  it('a job reports its failure even if it throws a value that is not an Error', async () => {
    const story = await runToEnd(person, 'failing', { name: 'string', times: 9, how: 'string' });

    expect(story.result.error).toEqual({ code: 'handler_error', message: "'a bare string'" });
  });
});
