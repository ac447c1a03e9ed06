import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { until } from '../harness/index.js';
import { createHookWorld, type Hook, type HookWorld } from './hook-world.js';

let hooks: HookWorld;

beforeAll(async () => {
  hooks = await createHookWorld();
});
beforeEach(() => hooks.reset());
afterAll(() => hooks.world.end());

const read = async ({ id }: Hook) => (await hooks.person.get(`/org/webhooks/${id}`)).body;
const ping = ({ id }: Hook) => hooks.person.post(`/org/webhooks/${id}/test`);

it('a webhook shows since when its attempts fail and how many in a row, until one succeeds', async () => {
  const hook = await hooks.createHook(['job.done']);
  hooks.reply = () => ({ status: 500 });
  const startedAt = Date.now();
  await ping(hook);
  const first = await until('the first failure', async () => {
    const webhook = await read(hook);
    return webhook.failures === 1 && webhook;
  });
  expect(first.last_success_at).toBe(null);
  expect(Math.abs(Date.parse(first.failing_since) - startedAt)).toBeLessThan(60_000);

  await ping(hook);
  await until('the second failure', async () => (await read(hook)).failures === 2);
  expect((await read(hook)).failing_since).toBe(first.failing_since);

  hooks.reply = () => ({});
  await ping(hook);
  const good = await until('the success', async () => {
    const webhook = await read(hook);
    return webhook.failures === 0 && webhook;
  });
  expect(good).toMatchObject({ failing_since: null, last_success_at: expect.any(String) });
  expect((await hooks.person.get('/org/webhooks')).body).toEqual([good]);
});

it('a webhook that is enabled again has not failed', async () => {
  const hook = await hooks.createHook(['job.done']);
  hooks.reply = () => ({ status: 410 });
  await ping(hook);
  await until('it is disabled', async () => !(await read(hook)).enabled);
  expect(await read(hook)).toMatchObject({ failures: 1, failing_since: expect.any(String) });

  const { body } = await hooks.person.patch(`/org/webhooks/${hook.id}`, { enabled: true });
  expect(body).toMatchObject({ enabled: true, failures: 0, failing_since: null, last_success_at: null });
});
