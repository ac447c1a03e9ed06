import type { OrgId } from '@jobline/contracts';
import { lockUnplannedEvents } from '@jobline/db';
import { newId } from '@jobline/runtime';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { createWorld, until } from '../harness/index.js';
import { createHookWorld, type HookWorld } from './hook-world.js';

let hooks: HookWorld;

beforeAll(async () => {
  hooks = await createHookWorld();
});
beforeEach(() => hooks.reset());
afterAll(() => hooks.world.end());

it('an event is delivered although its webhook was being deleted meanwhile, if the deletion is rolled back', async () => {
  const hook = await hooks.createHook(['job.done']);
  const other = await hooks.newPerson();
  await other.post('/org/webhooks', { url: `${hooks.url}/other`, events: ['job.done'] });

  const deletion = hooks.world.db.$transaction(async (tx) => {
    await tx.$executeRaw`DELETE FROM webhooks WHERE id = ${hook.id}::uuid`;
    await hooks.runFirst('a:0');
    // Every process plans the events of all organizations in turn.
    for (let n = 0; n < 3; n++) {
      await other.post('/jobs', { type: 'first', payload: { name: `b:${n}` } });
      await until('the other one to be called', () => hooks.at('/other').length === n + 1);
    }
    throw new Error('rolled back');
  });
  await expect(deletion).rejects.toThrow('rolled back');

  await until('the event', () => hooks.at('/hook').length === 1);
});

it('an event that cannot be stored delays no events of other organizations', async () => {
  const broken = hooks.person;
  await hooks.createHook(['job.done'], '/broken');
  await hooks.world.db.$executeRawUnsafe(`
    CREATE FUNCTION fail_deliveries() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'broken' USING ERRCODE = '22000'; END $$`);
  await hooks.world.db.$executeRawUnsafe(`
    CREATE TRIGGER fail_deliveries BEFORE INSERT ON webhook_deliveries FOR EACH ROW WHEN (NEW.org_id = '${broken.orgId}')
    EXECUTE FUNCTION fail_deliveries()`);
  await hooks.runFirst('a:0');

  hooks.person = await hooks.newPerson();
  await hooks.createHook(['job.done']);
  for (let n = 0; n < 3; n++) {
    await hooks.runFirst(`b:${n}`);
    await until('the event', () => hooks.at('/hook').length === n + 1);
  }
  expect(hooks.at('/broken')).toEqual([]);

  await hooks.world.db.$executeRawUnsafe('DROP TRIGGER fail_deliveries ON webhook_deliveries');
  await until('the event that could not be stored', () => hooks.at('/broken').length === 1);
});

it('the number of deliveries that one transaction stores does not grow with the webhooks of an organization', async () => {
  const world = await createWorld();
  const createOrg = async (webhooks: number) => {
    const id = newId();
    const createdAt = new Date();
    const hook = () => ({ id: newId(), url: 'https://example.com', events: ['*'], enabled: true, createdAt });
    await world.db.organization.create({
      data: { id, name: 'org', webhooks: { create: Array.from({ length: webhooks }, hook) } },
    });
    const event = () => ({ orgId: id, type: 'job.done', data: {}, createdAt });
    await world.db.webhookEvent.createMany({ data: Array.from({ length: 300 }, event) });
    return id as OrgId; // The cast: it is the id of an organization.
  };
  const [many, one] = [await createOrg(20), await createOrg(1)];

  const events = await world.db.$transaction((tx) => lockUnplannedEvents(tx, [many, one], 200));

  const of = (orgId: OrgId) => events.filter((event) => event.orgId === orgId).length;
  expect([of(many), of(one)]).toEqual([10, 200]);
  await world.end();
});
