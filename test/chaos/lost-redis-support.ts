import { type Catalogue, createCatalogue, defineHandler } from '@jobline/handlers';
import { afterEach, beforeEach } from 'vitest';
import { createWorld, type OwnRedis, type Person, startOwnRedis, submitJob, type World } from '../harness/index.js';

/** Creates a world with a Redis of its own for each test of a file. */
export function useLostRedis(): {
  /** Its type `count` counts in `runs` how often each job runs. */
  counting: Catalogue;
  current: () => { world: World; redis: OwnRedis; runs: Map<string, number> };
  /** The number of jobs that are done. */
  done: () => Promise<number>;
} {
  let world: World;
  let redis: OwnRedis;
  let runs: Map<string, number>;
  const counting = createCatalogue([
    defineHandler({
      type: 'count',
      async run(_payload, { idempotencyKey }) {
        runs.set(idempotencyKey, (runs.get(idempotencyKey) ?? 0) + 1);
      },
    }),
  ]);

  beforeEach(async () => {
    runs = new Map();
    world = await createWorld();
    redis = await startOwnRedis();
  });
  afterEach(async () => {
    await world.end();
    await redis.end();
  });

  return {
    counting,
    current: () => ({ world, redis, runs }),
    done: () => world.db.job.count({ where: { status: 'done' } }),
  };
}

export async function submitMany(person: Person, count: number): Promise<void> {
  let left = count;
  const submitter = async () => {
    while (left-- > 0) await submitJob(person, 'count', {});
  };
  await Promise.all(Array.from({ length: 64 }, submitter));
}
