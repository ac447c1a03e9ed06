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

/** All of them fit into a queue's part for what is behind, and many more than count as few. */
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

it("jobs that are added again after a loss stay behind other organizations', as they were", async () => {
  const jobs = Array.from({ length: FLOOD }, () => ({ type: 'light', payload: {} }));
  expect((await flooding.post('/jobs/batch', { jobs })).status).toBe(202);
  await until('all to be in Redis', async () => (await entries()).length === FLOOD);
  await redis.del(await keysLike(redis, `{${world.prefix}-io}:*`));
  // It repairs, and does not consume what the test looks at.
  await world.alone.worker({ catalogue: createCatalogue([]), queues: ['cpu'] });
  await until('all to be back', async () => (await entries()).length === FLOOD);

  const id = await submitJob(other, 'light', {});
  const { key } = await world.db.job.findFirstOrThrow({ where: { orgId: other.orgId, id } });
  await until('its entry', async () => (await entries()).length === FLOOD + 1);
  expect((await entries()).findIndex((entry) => entry.startsWith(key))).toBeLessThan(FLOOD / 2);
});
