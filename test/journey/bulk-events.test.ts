import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { finishedJob, submitJob, until } from '../harness/index.js';
import { createHookWorld, eventOf, type Hook, type HookWorld } from './hook-world.js';

let hooks: HookWorld;

beforeAll(async () => {
  hooks = await createHookWorld();
});
beforeEach(() => hooks.reset());
afterAll(() => hooks.world.end());

const events = (path = '/hook') => hooks.at(path).map((request) => eventOf(request));
const endsOf = (id: string, path?: string) => events(path).filter(({ data }) => data.id === id);
const later = () => new Date(Date.now() + 3_600_000).toISOString();

/** Starts a bulk action. */
async function start(body: object) {
  const answer = await hooks.person.post('/jobs/bulk', body);
  expect(answer.status, answer.text).toBe(202);
  return answer.body;
}

/** Runs a bulk action to its end, and returns it. */
async function run(body: object) {
  const { id } = await start(body);
  return until('the end of the bulk action', async () => {
    const { body: action } = await hooks.person.get(`/jobs/bulk/${id}`);
    return action.status === 'running' ? false : action;
  });
}

/** Waits until everything that was written so far has arrived at a webhook that has chosen all events. */
async function settle(hook: Hook): Promise<void> {
  const before = events().filter(({ type }) => type === 'test.ping').length;
  await hooks.person.post(`/org/webhooks/${hook.id}/test`);
  await until('the ping', () => events().filter(({ type }) => type === 'test.ping').length > before);
  await until('all deliveries', async () => (await hooks.deliveriesOf(hook, '?status=pending')).length === 0);
  await until('no event to be unplanned', async () => {
    const where = { orgId: hooks.person.orgId, isPlanned: false };
    return (await hooks.world.db.webhookEvent.count({ where })) === 0;
  });
}

describe('a bulk action without events', () => {
  it('reports the ends of jobs that it retries to no webhook but to callback URLs, and later ends again', async () => {
    const hook = await hooks.createHook(['*']);
    hooks.jobs.failing.add('r:0');
    const id = await hooks.runFirst('r:0', { callback_url: `${hooks.url}/callback` });
    await until('the failure', () => endsOf(id).length === 1 && endsOf(id, '/callback').length === 1);

    hooks.jobs.failing.add('r:0');
    expect(await run({ action: 'retry', filter: { ids: [id] }, events: false })).toMatchObject({
      events: false,
      done: 1,
    });
    await finishedJob(hooks.person, id);
    await until('the callback', () => endsOf(id, '/callback').length === 2);
    await settle(hook);
    expect(endsOf(id)).toHaveLength(1);

    await hooks.person.post(`/jobs/${id}/retry`);
    await until('the end of the manual retry', () => endsOf(id).length === 2 && endsOf(id, '/callback').length === 3);
    expect(endsOf(id)[1]).toMatchObject({ type: 'job.done' });
  });

  it('reports no ends of jobs that it cancels, whether they wait or run', async () => {
    const hook = await hooks.createHook(['*']);
    const waiting = await submitJob(hooks.person, 'first', { name: 'c:0' }, { run_at: later() });
    const loud = await submitJob(hooks.person, 'first', { name: 'c:1' }, { run_at: later() });
    hooks.jobs.isHeld = true;
    const running = await submitJob(hooks.person, 'first', { name: 'c:2' });
    await until('it to run', () => hooks.jobs.running.has('c:2'));

    await run({ action: 'cancel', filter: { ids: [waiting, running] }, events: false });
    await run({ action: 'cancel', filter: { ids: [loud] } });
    hooks.jobs.isHeld = false;
    for (const id of [waiting, running]) await finishedJob(hooks.person, id);
    await until('the end of the other one', () => endsOf(loud).length === 1);
    await settle(hook);
    expect([...endsOf(waiting), ...endsOf(running)]).toEqual([]);
  });

  it('reports no ends of the jobs that it submits again', async () => {
    const hook = await hooks.createHook(['*']);
    const id = await hooks.runFirst('n:0');
    await until('the end', () => endsOf(id).length === 1);
    await run({ action: 'rerun', filter: { ids: [id] }, events: false });
    await until('the rerun', async () => (await hooks.person.get('/jobs?status=done')).body.length === 2);
    await settle(hook);
    expect(events().filter(({ type }) => type === 'job.done')).toHaveLength(1);
  });
});

describe('bulk.done', () => {
  it('is sent once for a bulk action that has done its jobs, with the action as the API shows it', async () => {
    const hook = await hooks.createHook(['bulk.*']);
    const ids = [
      await submitJob(hooks.person, 'first', { name: 'd:0' }, { run_at: later() }),
      await submitJob(hooks.person, 'first', { name: 'd:1' }, { run_at: later() }),
    ];
    const action = await run({ action: 'cancel', filter: { ids, created_after: '2026-01-01T00:00:00.000Z' } });
    await settle(hook);

    const done = events().filter(({ type }) => type === 'bulk.done');
    expect(done.map(({ data }) => data)).toEqual([action]);
    expect(action).toMatchObject({ status: 'done', total: 2, done: 2 });
    expect(action).not.toHaveProperty('events');
  });

  it('is sent for an action without jobs, and for one that is stopped', async () => {
    const hook = await hooks.createHook(['bulk.done']);
    const empty = await run({ action: 'delete', filter: { type: 'none' }, events: false });
    const names = Array.from({ length: 10 }, (_, n) => `s:${n}`);
    for (const name of names) hooks.jobs.failing.add(name);
    for (const name of names) await hooks.runFirst(name);
    const { id } = await start({ action: 'retry', filter: { status: 'failed' }, per_second: 1 });
    expect((await hooks.person.post(`/jobs/bulk/${id}/stop`)).status).toBe(202);
    const { body: stopped } = await hooks.person.get(`/jobs/bulk/${id}`);
    await settle(hook);

    const done = events().filter(({ type }) => type === 'bulk.done');
    expect(done.map(({ data }) => data)).toEqual(expect.arrayContaining([empty, stopped]));
    expect(done).toHaveLength(2);
    expect([empty, stopped]).toMatchObject([
      { status: 'done', total: 0, events: false },
      { status: 'stopped', total: 10 },
    ]);
  });
});

describe('the audit log', () => {
  it('has every bulk action with who and what, and who stopped one', async () => {
    const { person } = hooks;
    hooks.jobs.failing.add('a:0');
    hooks.jobs.failing.add('a:1');
    for (const name of ['a:0', 'a:1']) await hooks.runFirst(name);
    await person.post('/jobs/bulk', { action: 'retry', filter: { status: 'failed' }, dry_run: true });
    const { id } = await start({ action: 'retry', filter: { status: 'failed', type: 'first' }, per_second: 1 });
    await person.post(`/jobs/bulk/${id}/stop`);
    await person.post(`/jobs/bulk/${id}/stop`);
    const key = (await person.post('/org/api-keys', { name: 'program' })).body;
    const body = { action: 'delete', filter: { ids: ['a', 'b'] } };
    const byKey = await hooks.call('POST', '/jobs/bulk', { key: key.key, body });

    expect((await person.get('/jobs/bulk?include=starter')).body).toMatchObject([
      { id: byKey.body.id, api_key: key.id },
      { id, created_by: (await person.get('/auth/me')).body.user.id },
    ]);
    const entries = (await person.get('/org/audit')).body;
    const bulks = entries.filter(({ action }: { action: string }) => action.startsWith('bulk.'));
    expect(bulks).toMatchObject([
      {
        action: 'bulk.started',
        actor: null,
        target: { id: byKey.body.id, name: 'delete' },
        details: { ids: '2', jobs: '0', api_key: key.id },
      },
      { action: 'bulk.stopped', actor: { email: person.email }, target: { id, name: 'retry' } },
      {
        action: 'bulk.started',
        actor: { email: person.email },
        target: { id, name: 'retry' },
        details: { status: 'failed', type: 'first', jobs: '2' },
      },
    ]);
  });
});
