import { createCheckAlerts, createEvents, type LeasedTask } from '@jobline/engine';
import { newId } from '@jobline/runtime';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createWorld, type World } from '../harness/index.js';
import { storePending } from './alert-jobs.js';

let world: World;
beforeEach(async () => {
  world = await createWorld();
});
afterEach(() => world.end());

/** Stores organizations with a waiting job. */
async function storeOrgs(count: number): Promise<void> {
  for (let n = 0; n < count; n++) {
    const { id: orgId } = await world.db.organization.create({ data: { id: newId(), name: 'Acme' } });
    await world.db.organizationSettings.create({ data: { orgId, alertsByEmail: true, oldestWaitingSeconds: 60 } });
    await storePending(world.db, orgId, { dueForS: 120 });
  }
}

async function checkAll(task: LeasedTask): Promise<void> {
  let pauseMs: number;
  do pauseMs = await task.round();
  while (pauseMs === 0);
}

it('one process at a time checks, and every organization is checked', async () => {
  const events = createEvents();
  // Longer than the test takes, so that the lease does not expire by itself.
  const everyMs = 3_600_000;
  const create = () => createCheckAlerts({ db: world.db, events, publicUrl: 'https://jobs.example.com' }, { everyMs });
  const [one, other] = [create(), create()];
  await storeOrgs(120);

  expect([await one.round(), await other.round(), await one.round()]).toEqual([0, everyMs, everyMs]);
  expect(await world.db.alert.count()).toBe(120);

  await storeOrgs(1);
  await checkAll(other);
  expect(await world.db.alert.count()).toBe(120);
  await world.db.$executeRaw`UPDATE leases SET expires_at = now() - interval '1 ms'`;
  await checkAll(other);
  expect(await world.db.alert.count()).toBe(121);
});
