import type { JobKey, OrgId } from '@jobline/contracts';
import { saveLanes } from '@jobline/db';
import { insertJobs } from '@jobline/db/job-transitions';
import { createCatalogue, defineHandler } from '@jobline/handlers';
import { newId } from '@jobline/runtime';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { createWorld, finishedJob, register, submitJob, type World } from '../harness/index.js';

const ANOTHER_WORKER = newId();

let world: World;
let orgId: OrgId;
beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world.end());
beforeEach(async () => {
  orgId = newId() as OrgId; // The cast: the test uses it as one.
  await world.db.$executeRaw`INSERT INTO organizations (id, name) VALUES (${orgId}::uuid, 'Acme')`;
  await world.db.limit.createMany({
    data: ['own', 'other'].map((name) => ({
      orgId,
      name,
      types: ['a'],
      concurrency: 1,
      per: 'key',
      ordered: false,
      paused: false,
    })),
  });
});

interface Differences {
  hasCapacity?: boolean;
  limitKey?: string;
  runAt?: Date;
}

/** Stores a job under the limits. */
async function store({ hasCapacity = true, limitKey = 'k', runAt }: Differences = {}) {
  const key = newId() as JobKey; // The cast: the test uses it as one.
  const job = { key, orgId, id: key, type: 'a', queue: 'io', payload: '{}', contentHash: null, priority: 0, limitKey };
  const [stored] = await insertJobs(world.hot, [
    { ...job, maxRetries: 1, runAt: runAt ?? null, traceparent: null, hasCapacity },
  ]);
  if (!stored?.lane) throw new Error('the job is held');
  return { ...stored, lane: stored.lane };
}

/** What the dispatcher stores about the lane. */
const settle = (id: string, state: { wakeInMs: number; parkedOn?: string; isIdle?: boolean }) =>
  saveLanes(world.db, [{ parkedOn: null, waitsFor: null, isIdle: false, ...state, id }], []);

it('a job under a limit gets an entry at its submission', async () => {
  expect(await store()).toMatchObject({ stage: 'held', isAdded: true });
});

it.each([
  { without: 'capacity in its queue', of: { hasCapacity: false } },
  { without: 'a time that has come', of: { runAt: new Date(Date.now() + 60_000) } },
])('a job under an ordered limit without $without gets none', async ({ of }) => {
  await world.db.limit.updateMany({ where: { orgId }, data: { ordered: true } });

  expect(await store(of)).toMatchObject({ stage: 'held', isAdded: false });
});

const waiting = [
  { which: 'of its lane that wait', state: { wakeInMs: 60_000 }, isAdded: false },
  { which: 'that are parked on its limit', state: { wakeInMs: 0, parkedOn: 'own' }, key: 'another', isAdded: false },
  { which: 'of another key that wait', state: { wakeInMs: 60_000 }, key: 'another', isAdded: true },
  { which: 'of its lane that have all been started', state: { wakeInMs: 60_000, isIdle: true }, isAdded: true },
];
it.each(waiting)('if there are jobs $which, it gets one: $isAdded', async ({ state, key = 'k', isAdded }) => {
  const { lane } = await store({ limitKey: key });
  await settle(lane, state);

  expect(await store()).toMatchObject({ stage: 'held', isAdded });
});

it('a job under a limit starts although no worker dispatches', async () => {
  const person = await register((await world.api()).call);
  await person.put('/org/limits/one', { types: ['quick'], concurrency: 1 });
  const expiresAt = new Date(Date.now() + 3_600_000);
  await world.db.lease.create({ data: { name: 'feed', holder: ANOTHER_WORKER, expiresAt } });
  const quick = defineHandler({ type: 'quick', run: async () => undefined });
  await world.worker({ queues: ['io'], catalogue: createCatalogue([quick]) });

  for (let n = 0; n < 5; n++) await finishedJob(person, await submitJob(person, 'quick', {}));
});
