import { recordTypesSeen } from '@jobline/db';
import { createCatalogue, defineHandler } from '@jobline/handlers';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  createWorld,
  finishedJob,
  linesOf,
  makeDue,
  openRedis,
  type Person,
  register,
  runToEnd,
  submitJob,
  until,
  type World,
} from '../harness/index.js';

let world: World;
let person: Person;

beforeAll(async () => {
  world = await createWorld();
  person = await register((await world.api()).call);
  await world.worker({ catalogue: createCatalogue([]) });
});
afterAll(() => world.end());

it('a job of a type that no worker ever had fails at once with a warning and uses no retry', async () => {
  const story = await runToEnd(person, 'unknown:this.type-1', {}, { max_retries: 5 });

  expect(story.job).toMatchObject({ status: 'failed', retries: 0, max_retries: 5 });
  expect(linesOf(story)).toEqual(['1 warn no handler is registered for type "unknown:this.type-1"']);
  expect(story.result.error).toEqual({
    code: 'no_handler',
    message: 'no handler is registered for type "unknown:this.type-1"',
  });
});

it('a worker without the handler leaves the job to a worker that has it', async () => {
  const greeting = defineHandler({ type: 'greet', run: async () => 'hello' });
  await world.worker({ catalogue: createCatalogue([greeting]) });

  const ids = await Promise.all(Array.from({ length: 5 }, () => submitJob(person, 'greet', {})));

  for (const id of ids) {
    const story = await finishedJob(person, id);
    expect(story.job).toMatchObject({ status: 'done', retries: 0 });
    expect(story.logs.map((line) => line.attempt)).toEqual([1, 1]);
  }
});

// Jobs whose type was unknown at submission wait in a queue of workers without the handler: only those can move them.
it('a job whose type belongs only to another queue is moved there', async () => {
  const shrinking = defineHandler({ type: 'shrink', queue: 'cpu', run: async () => 'small' });
  const runAt = new Date(Date.now() + 3_600_000).toISOString();
  const id = await submitJob(person, 'shrink', {}, { run_at: runAt });
  expect((await world.db.job.findFirstOrThrow({ where: { id } })).queue).toBe('io');
  await world.worker({ catalogue: createCatalogue([shrinking]), queues: ['cpu'] });
  await until('the worker to register', () => world.db.worker.count({ where: { types: { has: 'shrink' } } }));
  await makeDue(world.db, id);

  const story = await finishedJob(person, id);

  expect(story.job).toMatchObject({ status: 'done', retries: 0 });
  expect((await world.db.job.findFirstOrThrow({ where: { id } })).queue).toBe('cpu');
  expect(story.logs.map((line) => line.attempt)).toEqual([1, 1]);
});

/** Resolves when a worker without the handler has postponed a job. */
async function untilPutOff(id: string): Promise<void> {
  const { key } = await world.db.job.findFirstOrThrow({ where: { id } });
  const redis = openRedis(world.redisUrl);
  try {
    await until('the job to be postponed', async () => {
      const entries = await redis.zrange(`{${world.prefix}-io}:io:delayed`, '0', '-1');
      return entries.some((entry) => entry.startsWith(key));
    });
  } finally {
    redis.disconnect();
  }
}

it('a job whose only suitable worker restarts waits for it, and is done with no retry used', async () => {
  const catalogue = createCatalogue([defineHandler({ type: 'restarting', run: async () => 'back' })]);
  await (await world.worker({ catalogue })).stop();

  const id = await submitJob(person, 'restarting', {});
  await untilPutOff(id);
  await world.worker({ catalogue });
  const story = await finishedJob(person, id);

  expect(story.job).toMatchObject({ status: 'done', retries: 0 });
  expect(story.logs.map((line) => line.attempt)).toEqual([1, 1]);
});

it('a job whose handler has been missing for longer than NO_HANDLER_AFTER fails', async () => {
  const lastSeenAt = new Date(Date.now() - 17 * 60_000);
  await world.db.jobType.create({ data: { type: 'given-up', queue: 'io', lastSeenAt } });

  const story = await runToEnd(person, 'given-up', {});

  expect(story.result.error.code).toBe('no_handler');
});

it('the types of a live worker count as seen while it lives, and are written once a minute', async () => {
  const type = 'living';
  const where = { type };
  const seenAt = async () => (await world.db.jobType.findUniqueOrThrow({ where })).lastSeenAt.getTime();
  await world.worker({ catalogue: createCatalogue([defineHandler({ type, run: async () => null })]) });
  const longAgo = new Date(Date.now() - 10 * 60_000);

  await world.db.jobType.update({ where, data: { lastSeenAt: longAgo } });
  const seen = await until('the type to be seen again', async () => {
    const at = await seenAt();
    return at > longAgo.getTime() && at;
  });
  await world.db.worker.updateMany({ data: { heartbeatAt: new Date(seen + 5_000) } });
  await recordTypesSeen(world.db);

  expect(await seenAt()).toBe(seen);
});
