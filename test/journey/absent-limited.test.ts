import { createCatalogue, defineHandler } from '@jobline/handlers';
import { Queue } from 'bullmq';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createWorld, finishedJob, openRedis, register, submitJob, type World } from '../harness/index.js';

/** Of a type that no worker handles; the entries of other jobs included. */
const MOST = 30;
const ABSENT = 300;

let world: World;
beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world.end());

it('jobs under a limit whose type has no worker any more get few entries in Redis', async () => {
  const person = await register((await world.api()).call);
  const [rare, light] = ['rare', 'light'].map((type) => defineHandler({ type, run: async () => undefined }));
  if (!rare || !light) throw new Error('both are defined');
  const options = { queues: ['io'] as const };
  const worker = await world.alone.worker({ ...options, catalogue: createCatalogue([rare, light]) });
  await finishedJob(person, await submitJob(person, 'rare', {}));
  await person.put('/org/limits/five', { types: ['rare'], concurrency: 5 });
  await worker.stop(0);
  await world.alone.worker({ ...options, catalogue: createCatalogue([light]) });

  const jobs = Array.from({ length: ABSENT }, () => ({ type: 'rare', payload: {} }));
  expect((await person.post('/jobs/batch', { jobs })).status).toBe(202);
  // The dispatcher has many rounds meanwhile.
  for (let n = 0; n < 40; n++) await finishedJob(person, await submitJob(person, 'light', {}));

  const connection = openRedis(world.redisUrl);
  const queue = new Queue('io', { connection, prefix: `{${world.prefix}-io}` });
  const counts = await queue.getJobCounts('delayed', 'wait', 'prioritized', 'active');
  await queue.close();
  connection.disconnect();
  expect(Object.values(counts).reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(MOST);
});
