import type { OrgId } from '@jobline/contracts';
import { type Lane, type LimitRule, listLanes, nextWakeMs, readLimitState, saveLanes } from '@jobline/db';
import { createEvents, createLimitChanges } from '@jobline/engine';
import { newId } from '@jobline/runtime';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { createWorld, type Person, register, submitJob, type TestApi, type World } from '../harness/index.js';

/** There is no worker: the test does what a dispatcher does. */
let world: World;
let api: TestApi;
let person: Person;
let orgId: OrgId;
let rules: LimitRule[];
let lane: Lane;
const worker = newId();

beforeAll(async () => {
  world = await createWorld();
  api = await world.api();
});
afterAll(() => world.end());
beforeEach(async () => {
  person = await register(api.call);
  orgId = person.orgId as OrgId; // The cast: it is the id of an organization.
  await person.put('/org/limits/rate', { types: ['slow'], per: 'key', per_second: 0.01, burst: 1 });
  await submitJob(person, 'slow', {}, { key: 'a' });
  ({ rules } = await readLimitState(world.db, [orgId], []));
  const [first] = await listLanes(world.db, [orgId], [], 10);
  if (!first) throw new Error('the job has no lane');
  lane = first;
});

const waitForRate = () =>
  saveLanes(world.db, [{ id: lane.id, wakeInMs: 100_000, parkedOn: null, waitsFor: 'rate', isIdle: false }], rules);
/** What a worker does after a change. */
async function processChanges(): Promise<void> {
  const deps = {
    db: world.db,
    events: createEvents(),
    lease: { id: () => worker },
    producer: { publishWaiting: () => undefined },
  };
  const task = createLimitChanges(deps);
  while ((await world.db.limitChange.count()) > 0) await task.round();
}
const isWaiting = async () => ((await nextWakeMs(world.db, [orgId])) ?? 0) > 0;

const changes = [
  { change: 'deleted', make: () => person.delete('/org/limits/rate') },
  { change: 'changed', make: () => person.patch('/org/limits/rate', { per_second: 10 }) },
];

it.each(changes)(
  'a lane does not wait for a rate that was $change after the dispatcher had read it',
  async ({ make }) => {
    expect((await make()).status).toBeLessThan(300);

    await waitForRate();

    expect(await isWaiting()).toBe(false);
  },
);

it.each(changes)('a lane that waits for a rate is looked at again when the rate is $change', async ({ make }) => {
  await waitForRate();
  expect(await isWaiting()).toBe(true);

  expect((await make()).status).toBeLessThan(300);
  await processChanges();

  expect(await isWaiting()).toBe(false);
});

it('a lane that is looked at later still waits for the rate if another limit changes', async () => {
  expect((await person.put('/org/limits/other', { concurrency: 1 })).status).toBe(200);

  await waitForRate();

  expect(await isWaiting()).toBe(true);
});
