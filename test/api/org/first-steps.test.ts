import { afterAll, beforeAll, expect, it } from 'vitest';
import { createWorld, register, submitJob, type TestApi, type World } from '../../harness/index.js';

let world: World;
let api: TestApi;

beforeAll(async () => {
  world = await createWorld();
  api = await world.api();
});
afterAll(() => world.end());

it('the first steps of an organization are done one by one, and are not listed after 30 days', async () => {
  const owner = await register(api.call);
  const done = async () => {
    const { body } = await owner.get('/org/first-steps');
    return body.filter((one: { done: boolean }) => one.done).map(({ step }: { step: string }) => step);
  };
  expect((await owner.get('/org/first-steps')).body.map(({ step }: { step: string }) => step)).toEqual([
    'job',
    'api_key',
    'sender',
    'template',
    'teammate',
    'alert',
  ]);
  expect(await done()).toEqual([]);

  await owner.patch('/org/settings', { alerts: { email: true, failure_rate_percent: 20 } });
  expect(await done()).toEqual(['alert']);
  await owner.post('/org/invite', { email: 'friend@example.com', role: 'member' });
  await owner.post('/org/templates', { name: 'Hello', kind: 'sms', body: 'Hi' });
  expect(await done()).toEqual(['template', 'teammate', 'alert']);
  await owner.post('/org/domains', { domain: 'pending.example' });
  expect(await done()).not.toContain('sender');
  await owner.post('/org/sender-ids', { sender_id: 'STEPS' });
  await owner.post('/org/api-keys', { name: 'first' });
  await submitJob(owner, 'any', {});
  expect(await done()).toHaveLength(6);

  await world.db.organization.update({
    where: { id: owner.orgId },
    data: { createdAt: new Date(Date.now() - 31 * 86_400_000) },
  });
  expect((await owner.get('/org/first-steps')).body).toEqual([]);
});
