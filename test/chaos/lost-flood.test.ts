import { createCatalogue } from '@jobline/handlers';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  createWorld,
  keysLike,
  openRedis,
  type Person,
  register,
  submitJob,
  until,
  type World,
  waitingEntries,
} from '../harness/index.js';

/**
 * All of them fit into the low-priority part of the queue, and they are many more than the threshold of a bulk
 * submission.
 */
const FLOOD = 60;

let world: World;
let redis: ReturnType<typeof openRedis>;
let flooding: Person;
let other: Person;

beforeAll(async () => {
  world = await createWorld();
  redis = openRedis(world.redisUrl);
  const { call } = await world.api();
  [flooding, other] = [await register(call), await register(call)];
});
afterAll(async () => {
  redis.disconnect();
  await world.end();
});

const entries = () => waitingEntries(redis, world.prefix);

it('jobs of a bulk submission keep their low priority when they are enqueued again after data loss', async () => {
  const jobs = Array.from({ length: FLOOD }, () => ({ type: 'light', payload: {} }));
  expect((await flooding.post('/jobs/batch', { jobs })).status).toBe(202);
  await until('all entries to be in Redis', async () => (await entries()).length === FLOOD);
  for (const key of await keysLike(redis, `{${world.prefix}-io*}:*`)) await redis.del(key);
  // This worker repairs the queue and does not consume the entries that the test checks.
  await world.alone.worker({ catalogue: createCatalogue([]), queues: ['cpu'] });
  await until('all entries to be in Redis again', async () => (await entries()).length === FLOOD);

  const id = await submitJob(other, 'light', {});
  const { key } = await world.db.job.findFirstOrThrow({ where: { orgId: other.orgId, id } });
  await until('its entry', async () => (await entries()).length === FLOOD + 1);
  expect((await entries()).findIndex((entry) => entry.startsWith(key))).toBeLessThan(FLOOD / 2);
});
