import { createCatalogue, defineHandler } from '@jobline/handlers';
import Joi from 'joi';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createWorld, linesOf, type Person, register, runToEnd, type World } from '../harness/index.js';

let world: World;
let person: Person;
const seen: Record<string, unknown>[] = [];
/** Each ends an attempt that ignores its signal. */
const deafEnds: (() => void)[] = [];

const handlers = [
  defineHandler({
    type: 'slow',
    timeoutMs: 50,
    run: (_payload, { signal }) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason));
      }),
  }),
  defineHandler({
    type: 'deaf',
    timeoutMs: 50,
    run: () => new Promise<void>((resolve) => deafEnds.push(resolve)),
  }),
  defineHandler<{ lines: number }>({
    type: 'talkative',
    async run({ lines }, { log }) {
      for (let i = 1; i <= lines; i++) log('debug', `line ${i}`);
    },
  }),
  defineHandler({
    type: 'odd-talk',
    async run(_payload, { log }) {
      log('warn', `nul \0 and a broken \ud800 surrogate`);
      log('info', 'ž'.repeat(8_192));
    },
  }),
  defineHandler({
    type: 'context',
    async run(_payload, { idempotencyKey, attempt, orgId }) {
      seen.push({ idempotencyKey, attempt, orgId });
      if (attempt < 3) throw new Error('again');
    },
  }),
  defineHandler<{ to: string }>({
    type: 'strict',
    // No JSON Schema can express this rule, so the API does not know it.
    payload: Joi.object({
      to: Joi.string().custom((to, { error }) => (to === 'wrong' ? error('any.invalid') : to)),
    }),
    run: async () => null,
  }),
  defineHandler({
    type: 'circular',
    async run() {
      const value: Record<string, unknown> = {};
      value.self = value;
      return value;
    },
  }),
];

beforeAll(async () => {
  world = await createWorld();
  // The API does not know these types, as with custom handlers.
  person = await register((await world.api()).call);
  await world.worker({ catalogue: createCatalogue(handlers), graceMs: 200 });
});
afterAll(() => world.end());

describe('an attempt', () => {
  it('an attempt fails with timeout after its time limit, and its signal has fired', async () => {
    const story = await runToEnd(person, 'slow', {});

    expect(story.result.error).toEqual({ code: 'timeout', message: 'the handler took longer than 0.05 s' });
  });

  it('an attempt that timed out is retried while retries are left', async () => {
    const story = await runToEnd(person, 'slow', {}, { max_retries: 1 });

    expect(story.job).toMatchObject({ status: 'failed', retries: 1 });
  });

  it('an attempt whose handler ignores the signal has its outcome recorded, and its job is retried without waiting for it', async () => {
    const story = await runToEnd(person, 'deaf', {}, { max_retries: 1 });

    expect(story.job).toMatchObject({ status: 'failed', retries: 1 });
    expect(story.result.error.code).toBe('timeout');
    expect(deafEnds).toHaveLength(2);
    for (const end of deafEnds) end();
  });

  it('an attempt keeps 1,000 log lines and says once that more were dropped', async () => {
    const story = await runToEnd(person, 'talkative', { lines: 1_500 });

    const all = await person.get(`/jobs/${story.job.id}/logs?limit=1000`);
    const rest = await person.get(`/jobs/${story.job.id}/logs?limit=1000&after=${all.headers.get('x-next-cursor')}`);
    const messages = [...all.body, ...rest.body].map((line: { message: string }) => line.message);
    expect(messages).toHaveLength(1_003);
    expect(messages.slice(0, 3)).toEqual(['attempt 1 started', 'line 1', 'line 2']);
    expect(messages.slice(1_000)).toEqual([
      'line 1000',
      'the log of this attempt is cut after 1000 entries',
      expect.stringMatching(/^attempt 1 succeeded in \d+ ms$/),
    ]);
  });

  it('an attempt keeps 8 KiB of a log line and replaces what Postgres cannot store', async () => {
    const story = await runToEnd(person, 'odd-talk', {});

    expect(linesOf(story)[1]).toBe('1 warn nul \ufffd and a broken \ufffd surrogate');
    expect(story.logs[2]?.message).toBe('ž'.repeat(4_096));
  });

  it('an attempt gets the same idempotency key as every other attempt of the job', async () => {
    const story = await runToEnd(person, 'context', {}, { max_retries: 2 });

    expect(story.job.status).toBe('done');
    expect(seen.map(({ attempt }) => attempt)).toEqual([1, 2, 3]);
    expect(new Set(seen.map(({ idempotencyKey }) => idempotencyKey))).toEqual(new Set([story.job.id]));
    expect(seen[0]?.orgId).toBe(person.orgId);
  });

  it('an attempt fails without a retry if the payload does not match a rule that only the worker knows', async () => {
    const story = await runToEnd(person, 'strict', { to: 'wrong' }, { max_retries: 3 });

    expect(story.job).toMatchObject({ status: 'failed', retries: 0 });
    expect(story.result.error).toEqual({
      code: 'invalid_payload',
      message: 'payload.to: "to" contains an invalid value',
    });
  });

  it('an attempt fails without a retry if its result is not JSON', async () => {
    const story = await runToEnd(person, 'circular', {}, { max_retries: 3 });

    expect(story.job).toMatchObject({ status: 'failed', retries: 0 });
    expect(story.result.error.message).toBe('the handler returned a value that cannot be written as JSON');
  });
});
