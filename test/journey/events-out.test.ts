import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Received, submitJob, until } from '../harness/index.js';
import { createHookWorld, eventOf, type HookWorld, isSigned } from './hook-world.js';

let hooks: HookWorld;

beforeAll(async () => {
  hooks = await createHookWorld();
});
beforeEach(() => hooks.reset());
afterAll(() => hooks.world.end());

describe('events', () => {
  it('an event is sent to every webhook that has chosen it, with the same id, signed by the secret of each', async () => {
    const one = await hooks.createHook(['job.done'], '/one');
    const two = await hooks.createHook(['job.*'], '/two');
    await hooks.createHook(['message.*'], '/three');

    const id = await hooks.runFirst('a:0', { tags: ['x'] });
    await until('both to be called', () => hooks.at('/one').length === 1 && hooks.at('/two').length === 1);

    const [first, second] = [hooks.at('/one')[0], hooks.at('/two')[0]] as [Received, Received];
    expect(isSigned(first, one.secret)).toBe(true);
    expect(isSigned(second, two.secret)).toBe(true);
    expect(isSigned(second, one.secret)).toBe(false);
    const event = eventOf(first);
    expect(event).toEqual({
      id: first.headers['webhook-id'],
      type: 'job.done',
      timestamp: expect.any(String),
      data: expect.any(Object),
    });
    expect(eventOf(second)).toEqual(event);
    const [listed] = (await hooks.person.get('/jobs')).body;
    expect(event.data).toEqual({ ...listed, duration_ms: undefined, result: null });
    expect(event.data).toMatchObject({ id, status: 'done', tags: ['x'] });
    expect(hooks.at('/three')).toEqual([]);
    await until('the deliveries to be stored', async () => (await hooks.deliveriesOf(one))[0]?.status === 'delivered');
    expect((await hooks.deliveriesOf(one))[0]).toMatchObject({
      event: 'job.done',
      attempts: 1,
      last_status: 200,
      last_error: null,
      next_attempt_at: null,
    });
  });

  it('the event of a failed job has its error, and each end of a job is a new event', async () => {
    await hooks.createHook(['*']);
    hooks.jobs.failing.add('b:0');
    const id = await hooks.runFirst('b:0');
    await until('the failure to be sent', () => hooks.at('/hook').length === 1);
    expect(eventOf(hooks.at('/hook')[0])).toMatchObject({
      type: 'job.failed',
      data: { id, status: 'failed', error: { code: 'handler_error', message: expect.any(String) } },
    });

    await hooks.person.post(`/jobs/${id}/retry`);
    await until('the second end to be sent', () => hooks.at('/hook').length === 2);
    const [first, second] = hooks.at('/hook').map((request) => eventOf(request));
    expect(second).toMatchObject({ type: 'job.done', data: { id, status: 'done' } });
    expect(second.id).not.toBe(first.id);
  });

  it('the end of a canceled job is job.failed', async () => {
    await hooks.createHook(['job.failed']);
    const later = new Date(Date.now() + 3_600_000).toISOString();
    const id = await submitJob(hooks.person, 'first', { name: 'c:0' }, { run_at: later });
    await hooks.person.post(`/jobs/${id}/cancel`);
    await until('the cancel to be sent', () => hooks.at('/hook').length === 1);
    expect(eventOf(hooks.at('/hook')[0]).data).toMatchObject({ id, error: { code: 'canceled' } });
  });

  it('no event is written for an organization without webhooks, nor before the webhook was created', async () => {
    await hooks.runFirst('d:0');
    expect(await hooks.world.db.webhookEvent.count({ where: { orgId: hooks.person.orgId } })).toBe(0);
    await hooks.createHook(['*']);
    await hooks.runFirst('d:1');
    await until('one to be sent', () => hooks.at('/hook').length === 1);
    expect(hooks.at('/hook')).toHaveLength(1);
  });

  it('an event and its delivery are not among the jobs and the statistics of the organization', async () => {
    const hook = await hooks.createHook(['*']);
    const id = await hooks.runFirst('e:0');
    await until('it to be delivered', async () => (await hooks.deliveriesOf(hook))[0]?.status === 'delivered');

    expect((await hooks.person.get('/jobs')).body.map((job: { id: string }) => job.id)).toEqual([id]);
    expect((await hooks.person.get('/stats/jobs?window=1h')).body.by_type).toEqual({ first: 1 });
    const types = (await hooks.person.get('/job-types')).body.map(({ type }: { type: string }) => type);
    expect(types.filter((type: string) => type.startsWith('*'))).toEqual([]);
    expect((await hooks.person.post('/jobs', { type: '*deliver_event', payload: {} })).status).toBe(400);
  });
});

describe('callbacks', () => {
  it('a callback gets the end of its job, signed by the secret of the organization, and is listed with the job', async () => {
    const { secret } = (await hooks.person.get('/org/webhook-secret')).body;
    const id = await hooks.runFirst('f:0', { callback_url: `${hooks.url}/callback` });
    await until('the callback', () => hooks.at('/callback').length === 1);

    const [request] = hooks.at('/callback') as [Received];
    expect(isSigned(request, secret)).toBe(true);
    expect(eventOf(request)).toMatchObject({ type: 'job.done', data: { id, status: 'done' } });
    await until('it to be stored', async () => {
      const [delivery] = (await hooks.person.get(`/jobs/${id}/callbacks`)).body;
      return delivery?.status === 'delivered' && delivery.event === 'job.done';
    });
    const other = await hooks.newPerson();
    expect((await other.get(`/jobs/${id}/callbacks`)).status).toBe(404);
  });
});

describe('webhooks', () => {
  it('a webhook gets a test event on request, and both secrets sign after a rotation', async () => {
    const hook = await hooks.createHook(['message.*']);
    const rotated = await hooks.person.post(`/org/webhooks/${hook.id}/rotate`);
    expect(rotated.body.secret).toMatch(/^whsec_/);
    expect((await hooks.person.post(`/org/webhooks/${hook.id}/test`)).status).toBe(202);
    await until('the test event', () => hooks.at('/hook').length === 1);

    const [request] = hooks.at('/hook') as [Received];
    expect(eventOf(request)).toMatchObject({ type: 'test.ping', data: { id: hook.id } });
    expect([isSigned(request, hook.secret), isSigned(request, rotated.body.secret)]).toEqual([true, true]);
  });

  it('a webhook is disabled after every attempt of five days has failed', async () => {
    const hook = await hooks.createHook(['job.done']);
    hooks.reply = () => ({ status: 500 });
    await hooks.world.db
      .$executeRaw`UPDATE webhooks SET failing_since = now() - interval '5 days' WHERE id = ${hook.id}::uuid`;
    await hooks.runFirst('m:0');

    await until('it to be disabled', async () => !(await hooks.person.get(`/org/webhooks/${hook.id}`)).body.enabled);
    expect((await hooks.deliveriesOf(hook))[0]).toMatchObject({ status: 'failed', next_attempt_at: null });
  });
});
