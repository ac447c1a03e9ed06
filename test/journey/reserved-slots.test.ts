import type { JobKey, OrgId } from '@jobline/contracts';
import { insertJobs } from '@jobline/db/job-transitions';
import { createCatalogue, defineHandler } from '@jobline/handlers';
import { newId } from '@jobline/runtime';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createWorld, finishedJob, type Person, register, until, type World } from '../harness/index.js';

const SLOTS = 20;
const KEPT = 2;

let world: World;
let flooding: Person;
let other: Person;
/** Functions that end the running jobs. */
const running: (() => void)[] = [];
const begun: string[] = [];

const handlers = [
  defineHandler({
    type: 'hold',
    run: () => {
      begun.push('hold');
      return new Promise<void>((resolve) => running.push(resolve));
    },
  }),
  defineHandler({ type: 'quick', run: async () => void begun.push('quick') }),
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

/** Stores jobs that wait in Postgres, as if Redis had no capacity for them. */
async function storeWaiting(person: Person, type: string, count: number): Promise<string[]> {
  const ids = Array.from({ length: count }, () => newId());
  const job = { type, queue: 'io', payload: '{}', contentHash: null, priority: 0, maxRetries: 0 };
  // The casts: the ids were created here.
  const rows = ids.map((id) => ({ ...job, id, key: newId() as JobKey, orgId: person.orgId as OrgId }));
  await insertJobs(
    world.hot,
    rows.map((row) => ({ ...row, runAt: null, traceparent: null, hasCapacity: false })),
  );
  return ids;
}

it('a flood leaves slots free for the few jobs of another organization, even for one that had to wait', async () => {
  await storeWaiting(flooding, 'hold', 6 * SLOTS);
  await until('the flood to run', () => begun.length === SLOTS - KEPT);
  const [quick = ''] = await storeWaiting(other, 'quick', 1);

  expect((await finishedJob(other, quick)).job.status).toBe('done');
  expect(begun).toHaveLength(SLOTS - KEPT + 1);
});

it('they are free for its jobs under a limit, too', async () => {
  await other.put('/org/limits/few', { types: ['quick'], concurrency: 2 });
  const before = begun.length;
  const { id } = (await other.post('/jobs', { type: 'quick', payload: {} })).body;

  expect((await finishedJob(other, id)).job.status).toBe('done');
  expect(begun).toHaveLength(before + 1);
});
