import { createCatalogue, defineHandler, RetryLater } from '@jobline/handlers';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createWorld, type Person, register, startOwnCluster, submitJob, until, type World } from '../harness/index.js';

const SUBMITTERS = 16;

let world: World;
let redis: { end(): Promise<void> } | undefined;
let runs: Map<string, number>;

/** The first attempt of every tenth job fails, so that retries wait in Redis. */
const catalogue = createCatalogue([
  defineHandler<{ n: number }>({
    type: 'count',
    async run({ n }, { attempt, idempotencyKey }) {
      if (attempt === 1 && n % 10 === 0) throw new RetryLater(1_000, 'not yet');
      runs.set(idempotencyKey, (runs.get(idempotencyKey) ?? 0) + 1);
    },
  }),
]);

beforeEach(async () => {
  runs = new Map();
  redis = undefined;
  world = await createWorld();
});
afterEach(async () => {
  await world.end();
  await redis?.end();
});

/** Submits jobs, through each of the people in turn. */
async function submitMany(people: readonly Person[], count: number): Promise<void> {
  let next = 0;
  const submitter = async () => {
    for (let n = next++; n < count; n = next++) {
      const person = people[n % people.length];
      if (person) await submitJob(person, 'count', { n }, { max_retries: 1 });
    }
  };
  await Promise.all(Array.from({ length: SUBMITTERS }, submitter));
}

const done = () => world.db.job.count({ where: { status: 'done' } });

async function expectEachRanOnce(count: number): Promise<void> {
  await until('all to be done', async () => (await done()) === count);
  expect(runs.size).toBe(count);
  expect(Math.max(...runs.values())).toBe(1);
}

it('the death of a master of the cluster loses no job', async () => {
  const cluster = await startOwnCluster({ hasReplicas: true });
  redis = cluster;
  const options = { redisUrl: cluster.url, catalogue };
  const person = await register((await world.api(options)).call);
  await world.worker({ ...options, concurrency: 20 });
  const submitting = submitMany([person], 4_000);
  await until('some to be done', async () => (await done()) > 1_000);

  await cluster.masters[0]?.kill();
  expect(await done()).toBeLessThan(4_000);
  await submitting;

  await expectEachRanOnce(4_000);
});
