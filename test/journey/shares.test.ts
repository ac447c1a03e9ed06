import { createCatalogue, defineHandler } from '@jobline/handlers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createWorld, finishedJob, type Person, register, submitJob, until, type World } from '../harness/index.js';
import { openRedis } from '../harness/redis-client.js';

const SLOTS = 6;

let world: World;
let flooding: Person;
let other: Person;
/** Functions that end the running jobs, in the order of their starts. */
const running: (() => void)[] = [];
const begun: string[] = [];

const handlers = [
  defineHandler<{ name: string }>({
    type: 'hold',
    run: ({ name }) => {
      begun.push(name);
      return new Promise<void>((resolve) => running.push(resolve));
    },
  }),
  defineHandler<{ name: string }>({
    type: 'quick',
    run: async ({ name }) => void begun.push(name),
  }),
];

beforeAll(async () => {
  world = await createWorld();
  const { call } = await world.api();
  [flooding, other] = [await register(call), await register(call)];
  await world.alone.worker({ catalogue: createCatalogue(handlers), concurrency: SLOTS, queues: ['io'] });
});
afterAll(async () => {
  const end = setInterval(() => running.shift()?.(), 5);
  await world.end();
  clearInterval(end);
});

/** Runs a command on the Redis of the queue. */
async function inRedis<T>(ask: (redis: ReturnType<typeof openRedis>, prefix: string) => Promise<T>): Promise<T> {
  const redis = openRedis(world.redisUrl);
  try {
    return await ask(redis, `{${world.prefix}-io}`);
  } finally {
    redis.disconnect();
  }
}

const isKnown = () =>
  inRedis(async (redis, prefix) => (await redis.get(`${prefix}:window`))?.includes(flooding.orgId) ?? false);
const hasEntry = (key: string) =>
  inRedis(async (redis, prefix) => (await redis.keys(`${prefix}:io:${key}*`)).length > 0);

async function rowOf(person: Person, id: string) {
  return world.db.job.findFirstOrThrow({ where: { orgId: person.orgId, id } });
}

/**
 * Submits jobs until the API knows that their organization exceeds its share; returns how many were submitted before.
 */
async function floodUntilHeard(): Promise<number> {
  let early = 0;
  await until('the API to know it', async () => {
    const { place } = await rowOf(flooding, await submitJob(flooding, 'hold', { name: `early ${early}` }));
    if (place !== 'waiting') early++;
    return place === 'waiting';
  });
  return early;
}

describe('an organization whose slow jobs exceed its share of the slots', () => {
  it('an organization over its share may use every slot while no other has work, and comes after all others for the next one', async () => {
    for (let n = 1; n <= SLOTS; n++) await submitJob(flooding, 'hold', { name: `slow ${n}` });
    await until('all slots to be taken', () => begun.length === SLOTS);
    await until('the occupancy to be known', isKnown);
    const early = await floodUntilHeard();
    for (let n = 1; n <= 30; n++) await submitJob(flooding, 'hold', { name: `more ${n}` });
    const quick = await submitJob(other, 'quick', { name: 'quick' });
    const { key } = await rowOf(other, quick);
    // There is no other organization that could use a slot that is free before.
    await until('its entry to be in Redis', () => hasEntry(key));

    for (let n = 0; n <= early; n++) running.shift()?.();

    expect((await finishedJob(other, quick)).job.status).toBe('done');
    expect(begun.indexOf('quick')).toBeLessThanOrEqual(SLOTS + early);
    await until('the free slot to be used again', () => begun.length > SLOTS + early + 1);
    expect(begun.slice(0, begun.indexOf('quick')).filter((name) => name.startsWith('more'))).toEqual([]);
  });
});
