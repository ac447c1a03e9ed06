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
  /** Lets no job end until the returned function is called. */
  holdRuns: () => () => void;
} {
  let world: World;
  let redis: OwnRedis;
  let runs: Map<string, number>;
  let held: Promise<void>;
  const counting = createCatalogue([
    defineHandler({
      type: 'count',
      async run(_payload, { idempotencyKey }) {
        runs.set(idempotencyKey, (runs.get(idempotencyKey) ?? 0) + 1);
        await held;
      },
    }),
  ]);

  beforeEach(async () => {
    runs = new Map();
    held = Promise.resolve();
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
    holdRuns() {
      let release = (): void => undefined;
      held = new Promise((resolve) => {
        release = resolve;
      });
      return release;
    },
  };
}

export async function submitMany(person: Person, count: number): Promise<void> {
  let left = count;
  const submitter = async () => {
    while (left-- > 0) await submitJob(person, 'count', {});
  };
  await Promise.all(Array.from({ length: 16 }, submitter));
}
