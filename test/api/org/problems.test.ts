import { createCatalogue } from '@jobline/handlers';
import { newId } from '@jobline/runtime';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createWorld, type Person, register, submitJob, type TestApi, until, type World } from '../../harness/index.js';
import { createNamedJobs } from '../../journey/named-jobs.js';
import { addMember } from '../support.js';

let world: World;
let api: TestApi;
let owner: Person;

beforeAll(async () => {
  world = await createWorld();
  api = await world.api();
  owner = await register(api.call);
});
afterAll(() => world.end());

const problemsOf = async (person: Person) => (await person.get('/org/problems')).body;
const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000);

/** Lets two minutes pass since a pending job became due. */
async function late(id: string): Promise<void> {
  await world.db.$executeRaw`UPDATE live_jobs SET run_at = now() - interval '2 min' WHERE id = ${id}`;
}

it('what does not work is listed, the most important first, and to a member only what members may see', async () => {
  const { orgId } = owner;
  const alert = { orgId, threshold: 20, value: 42, isMailDue: false };
  const [raisedAt, resolvedAt] = [minutesAgo(5), minutesAgo(1)];
  await world.db.alert.createMany({
    data: [
      { ...alert, id: newId(), kind: 'failure_rate', raisedAt },
      { ...alert, id: newId(), kind: 'oldest_waiting', raisedAt, resolvedAt },
    ],
  });
  const hooks: string[] = [];
  for (const host of ['shop', 'off', 'fine']) {
    const hook = { url: `https://${host}.example.com/`, events: ['*'], description: host };
    hooks.push((await owner.post('/org/webhooks', hook)).body.id);
  }
  const [shop, off] = hooks;
  await world.db.webhook.updateMany({
    where: { id: { in: [shop ?? '', off ?? ''] } },
    data: { failingSince: raisedAt },
  });
  await owner.patch(`/org/webhooks/${off}`, { enabled: false });
  await world.db.webhook.updateMany({ where: { id: off ?? '' }, data: { failingSince: raisedAt } });
  await owner.put('/org/limits/erp', { concurrency: 5, hold: { after: 3, probe_seconds: 60 } });
  await owner.put('/org/limits/open', { concurrency: 5, hold: { after: 3, probe_seconds: 60 } });
  await world.db.limitHold.updateMany({ where: { orgId, name: 'erp' }, data: { heldSince: raisedAt } });
  await late(await submitJob(owner, 'absent', {}));
  await submitJob(owner, 'just-now', {});
  await submitJob(owner, 'later', {}, { run_at: new Date(Date.now() + 3_600_000).toISOString() });

  const since = raisedAt.toISOString();
  const type = {
    kind: 'type',
    id: 'absent',
    title: 'No live worker handles absent',
    since: expect.any(String),
    url: '/?status=pending&type=absent',
  };
  const limit = { kind: 'limit', id: 'erp', title: 'Limit erp holds its jobs', since, url: '/limits?name=erp' };
  expect(await problemsOf(owner)).toEqual([
    {
      kind: 'alert',
      id: 'failure_rate',
      title: 'Alert: 42 % of your jobs failed in the last 15 minutes',
      since,
      url: '/?view=failures',
    },
    type,
    { kind: 'webhook', id: shop, title: 'Deliveries to shop fail', since, url: `/webhooks?id=${shop}` },
    limit,
  ]);
  expect(await problemsOf(await addMember(world, api, orgId, 'member'))).toEqual([type, limit]);
  expect(await problemsOf(await register(api.call))).toEqual([]);
});

it('a job type is no problem while a live worker handles it, although its jobs wait', async () => {
  const person = await register(api.call);
  await person.put('/org/limits/closed', { types: ['called'], paused: true });
  await late(await submitJob(person, 'called', { name: 'a:1' }));
  expect(await problemsOf(person)).toMatchObject([{ kind: 'type', id: 'called' }]);

  const { handlers } = createNamedJobs(['called']);
  await world.worker({ catalogue: createCatalogue(handlers) });
  await until('the worker', async () => (await problemsOf(person)).length === 0);
});
