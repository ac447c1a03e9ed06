import { createCatalogue, defineHandler } from '@jobline/handlers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createWorld, finishedJob, type Person, register, submitJob, until, type World } from '../harness/index.js';
import { openRedis } from '../harness/redis-client.js';

const SLOTS = 6;

let world: World;
let flooding: Person;
let other: Person;
/** What ends the running jobs, in the order in which they began. */
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

/** What is published of the queue, and how many entries that are not behind wait in it. */
async function queueInRedis(): Promise<{ published: string; waiting: number }> {
  const redis = openRedis(world.redisUrl);
  const prefix = `{${world.prefix}-io}`;
  try {
    return { published: (await redis.get(`${prefix}:window`)) ?? '', waiting: await redis.llen(`${prefix}:io:wait`) };
  } finally {
    redis.disconnect();
  }
}

describe('an organization whose slow jobs hold more than its share of the slots', () => {
  it('may fill every slot while nobody else has work, and is behind everybody else for the next one', async () => {
    for (let n = 1; n <= SLOTS; n++) await submitJob(flooding, 'hold', { name: `slow ${n}` });
    await until('all slots to be taken', () => begun.length === SLOTS);
    await until('it to be known', async () => (await queueInRedis()).published.includes(flooding.orgId));
    for (let n = 1; n <= 30; n++) await submitJob(flooding, 'hold', { name: `more ${n}` });
    const quick = await submitJob(other, 'quick', { name: 'quick' });
    // A slot that is free before has nobody else to go to.
    await until('its entry to be in Redis', async () => (await queueInRedis()).waiting === 1);

    running.shift()?.();

    expect((await finishedJob(other, quick)).job.status).toBe('done');
    expect(begun[SLOTS]).toBe('quick');
    await until('the free slot to be used again', () => begun.length === SLOTS + 2);
    expect(begun[SLOTS + 1]).toMatch(/^more/);
  });
});
