import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Reply, submitJob, until } from '../harness/index.js';
import { createHookWorld, eventOf, type HookWorld } from './hook-world.js';

let hooks: HookWorld;

beforeAll(async () => {
  hooks = await createHookWorld();
});
beforeEach(() => hooks.reset());
afterAll(() => hooks.world.end());

describe('deliveries', () => {
  it('a delivery that fails is attempted again with the same id, after pauses that grow, until it succeeds', async () => {
    const hook = await hooks.createHook(['job.done']);
    hooks.reply = () => ({ status: hooks.at('/hook').length < 3 ? 500 : 200, body: 'not now' });
    await hooks.runFirst('g:0');

    await until('the first failure', async () => (await hooks.deliveriesOf(hook))[0]?.attempts === 1);
    const [first] = await hooks.deliveriesOf(hook);
    expect(first).toMatchObject({ status: 'pending', last_status: 500, last_error: 'the receiver answered 500' });
    const pauseMs = Date.parse(first.next_attempt_at) - Date.parse(first.created_at);
    expect(pauseMs).toBeGreaterThan(4_000);
    await until('the success', async () => {
      // Each time, because the job of an attempt may not be postponed yet.
      await hooks.hurry();
      return (await hooks.deliveriesOf(hook))[0]?.status === 'delivered';
    });

    expect(new Set(hooks.at('/hook').map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    const detail = (await hooks.person.get(`/org/webhooks/${hook.id}/deliveries/${first.id}`)).body;
    expect(detail.body).toEqual(eventOf(hooks.at('/hook')[0]));
    expect(detail.tries.map(({ status, answer }: Record<string, unknown>) => [status, answer])).toEqual([
      [500, 'not now'],
      [500, 'not now'],
      [200, 'not now'],
    ]);
  });

  it('a delivery waits as long as a 503 with Retry-After asks for', async () => {
    const hook = await hooks.createHook(['job.done']);
    hooks.reply = () => ({ status: 503, headers: { 'retry-after': '600' } });
    await hooks.runFirst('h:0');
    await until('the failure', async () => (await hooks.deliveriesOf(hook))[0]?.attempts === 1);

    const [delivery] = await hooks.deliveriesOf(hook);
    expect(Date.parse(delivery.next_attempt_at) - Date.parse(delivery.created_at)).toBeGreaterThanOrEqual(600_000);
  });

  it('a delivery does not follow redirects', async () => {
    const hook = await hooks.createHook(['job.done']);
    hooks.reply = ({ path }) =>
      path === '/hook' ? { status: 302, headers: { location: `${hooks.url}/elsewhere` } } : {};
    await hooks.runFirst('i:0');
    await until('the failure', async () => (await hooks.deliveriesOf(hook))[0]?.last_status === 302);
    expect(hooks.at('/elsewhere')).toEqual([]);
  });

  it('a receiver that answers 410 disables its webhook, and the other webhooks are informed', async () => {
    const gone = await hooks.createHook(['job.done'], '/gone');
    await hooks.createHook(['webhook.disabled'], '/other');
    hooks.reply = ({ path }) => ({ status: path === '/gone' ? 410 : 200 });
    await hooks.runFirst('j:0');

    await until('the other webhook to be called', () => hooks.at('/other').length === 1);
    expect(eventOf(hooks.at('/other')[0])).toMatchObject({ type: 'webhook.disabled', data: { id: gone.id } });
    expect((await hooks.person.get(`/org/webhooks/${gone.id}`)).body.enabled).toBe(false);
    expect((await hooks.deliveriesOf(gone))[0]).toMatchObject({ status: 'failed', attempts: 1, next_attempt_at: null });
    for (const path of ['/test', `/deliveries/${(await hooks.deliveriesOf(gone))[0].id}/redeliver`]) {
      expect((await hooks.person.post(`/org/webhooks/${gone.id}${path}`)).status).toBe(409);
    }
  });

  it('a delivery that has failed is sent again on request, and by recover', async () => {
    const hook = await hooks.createHook(['job.done']);
    const since = new Date().toISOString();
    hooks.reply = () => ({ status: 503, headers: { 'retry-after': '3600' } });
    await hooks.runFirst('k:0');
    await hooks.runFirst('k:1');
    await until(
      'both failures',
      async () =>
        (await hooks.deliveriesOf(hook)).filter((one: { attempts: number }) => one.attempts === 1).length === 2,
    );
    await hooks.person.patch(`/org/webhooks/${hook.id}`, { enabled: false });
    expect(await hooks.deliveriesOf(hook, '?status=failed')).toHaveLength(2);
    expect((await hooks.person.post(`/org/webhooks/${hook.id}/recover`, { since })).status).toBe(409);
    await hooks.person.patch(`/org/webhooks/${hook.id}`, { enabled: true });

    const [one] = await hooks.deliveriesOf(hook);
    const answer = await hooks.person.post(`/org/webhooks/${hook.id}/deliveries/${one.id}/redeliver`);
    expect([answer.status, answer.body.id]).toEqual([202, one.id]);
    await until('the attempt to fail', async () => (await hooks.deliveriesOf(hook))[0].attempts === 2);
    expect((await hooks.deliveriesOf(hook))[0].status).toBe('failed');

    hooks.reply = () => ({});
    expect((await hooks.person.post(`/org/webhooks/${hook.id}/recover`, { since })).status).toBe(202);
    await until('both to be delivered', async () => (await hooks.deliveriesOf(hook, '?status=delivered')).length === 2);
  });

  it('each request for an attempt is carried out, also while the attempt of another request runs', async () => {
    const hook = await hooks.createHook(['job.done']);
    // No other attempt follows during the test.
    hooks.reply = () => ({ status: 503, headers: { 'retry-after': '3600' } });
    await hooks.runFirst('n:0');
    await until('the failure', async () => (await hooks.deliveriesOf(hook))[0]?.attempts === 1);
    const [delivery] = await hooks.deliveriesOf(hook);
    let release = () => {};
    const held = new Promise<Reply>((resolve) => {
      release = () => resolve({});
    });
    hooks.reply = () => held;
    for (const calls of [2, 3]) {
      const path = `/org/webhooks/${hook.id}/deliveries/${delivery.id}/redeliver`;
      expect((await hooks.person.post(path)).status).toBe(202);
      await until('another call', () => hooks.at('/hook').length === calls);
    }
    release();
    await until('both to be stored', async () => (await hooks.deliveriesOf(hook))[0]?.attempts === 3);
    expect((await hooks.deliveriesOf(hook))[0]?.status).toBe('delivered');
  });

  it('a delivery stays delivered when an attempt fails that began before', async () => {
    const hook = await hooks.createHook(['job.done']);
    let release = () => {};
    const held = new Promise<Reply>((resolve) => {
      release = () => resolve({ status: 500 });
    });
    hooks.reply = () => held;
    await hooks.runFirst('p:0');
    await until('the first attempt', () => hooks.at('/hook').length === 1);
    hooks.reply = () => ({});
    const [delivery] = await hooks.deliveriesOf(hook);
    await hooks.person.post(`/org/webhooks/${hook.id}/deliveries/${delivery.id}/redeliver`);
    await until('the second attempt', async () => (await hooks.deliveriesOf(hook))[0].status === 'delivered');

    release();
    await until('the first to be stored', async () => (await hooks.deliveriesOf(hook))[0].attempts === 2);
    const after = { status: 'delivered', next_attempt_at: null, last_status: 200, last_error: null };
    expect((await hooks.deliveriesOf(hook))[0]).toMatchObject(after);
    const rows = await hooks.world.db.webhook.findMany({ where: { id: hook.id }, select: { failingSince: true } });
    expect(rows).toEqual([{ failingSince: null }]);
  });

  it('what was not on its way when a webhook was disabled can be recovered', async () => {
    const hook = await hooks.createHook(['job.done']);
    const since = new Date().toISOString();
    hooks.reply = () => ({ status: 500 });
    await hooks.runFirst('o:0');
    await until('the failure', async () => (await hooks.deliveriesOf(hook))[0]?.attempts === 1);
    // An event that was written before, and found only afterwards.
    await hooks.person.patch(`/org/webhooks/${hook.id}`, { enabled: false });
    await hooks.world.db.$executeRaw`
      INSERT INTO webhook_events (org_id, type, data, created_at)
      SELECT org_id, type, data, created_at FROM webhook_events WHERE org_id = ${hooks.person.orgId}::uuid`;
    await until('its delivery to be stored', async () => (await hooks.deliveriesOf(hook)).length === 2);
    expect((await hooks.deliveriesOf(hook)).map(({ status }) => status)).toEqual(['failed', 'failed']);

    hooks.reply = () => ({});
    await hooks.person.patch(`/org/webhooks/${hook.id}`, { enabled: true });
    await hooks.person.post(`/org/webhooks/${hook.id}/recover`, { since });
    await until('both', async () => (await hooks.deliveriesOf(hook, '?status=delivered')).length === 2);
  });

  it('at most 2 deliveries to a webhook that hangs are under way, and it delays no other', async () => {
    await hooks.createHook(['job.done'], '/hangs');
    await hooks.createHook(['job.done'], '/healthy');
    let release = () => {};
    const held = new Promise<Reply>((resolve) => {
      release = () => resolve({});
    });
    hooks.reply = ({ path }) => (path === '/hangs' ? held : {});
    for (let n = 0; n < 30; n++) await submitJob(hooks.person, 'first', { name: `l:${n}` });

    await until('all to be delivered to the healthy one', () => hooks.at('/healthy').length === 30);
    await until('two to hang', () => hooks.at('/hangs').length >= 2);
    expect(hooks.at('/hangs')).toHaveLength(2);
    release();
    await until('the others to follow', () => hooks.at('/hangs').length === 30);
  });
});
