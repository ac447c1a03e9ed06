import { createCatalogue } from '@jobline/handlers';
import { newId } from '@jobline/runtime';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  type Answered,
  createWorld,
  finishedJob,
  type Person,
  register,
  submitJob,
  type TestApi,
  until,
  type World,
} from '../../harness/index.js';
import { createNamedJobs } from '../../journey/named-jobs.js';
import { expectError } from '../support.js';

let world: World;
let api: TestApi;
let person: Person;
const jobs = createNamedJobs(['first']);
const later = () => new Date(Date.now() + 3_600_000).toISOString();

beforeAll(async () => {
  world = await createWorld();
  api = await world.api();
  await world.worker({ catalogue: createCatalogue(jobs.handlers), queues: ['io'], concurrency: 20 });
});
beforeEach(async () => {
  await jobs.reset();
  person = await register(api.call);
});
afterAll(() => world.end());

const post = (body: object, headers = {}): Promise<Answered> => person.post('/jobs/bulk', body, { headers });

async function start(action: string, filter: object, more: object = {}): Promise<Answered['body']> {
  const answer = await post({ action, filter, ...more });
  expect(answer.status, answer.text).toBe(202);
  return answer.body;
}

async function finished(bulk: { id: string }): Promise<Answered['body']> {
  let now: Answered['body'] = bulk;
  await until('the bulk action to finish', async () => {
    now = (await person.get(`/jobs/bulk/${bulk.id}`)).body;
    return now.status !== 'running';
  });
  return now;
}

const run = async (action: string, filter: object, more: object = {}) => finished(await start(action, filter, more));

async function submitMany(count: number, more: (n: number) => object): Promise<string[]> {
  const list = Array.from({ length: count }, (_, n) => ({ type: 'other', payload: {}, run_at: later(), ...more(n) }));
  const answer = await person.post('/jobs/batch', { jobs: list });
  expect(answer.status, answer.text).toBe(202);
  return answer.body.jobs.map(({ id }: { id: string }) => id);
}

const matches = async (filter: object) => (await post({ action: 'delete', filter, dry_run: true })).body;
const statusOf = async (id: string) => (await person.get(`/jobs/${id}`)).body.status;

describe('POST /jobs/bulk', () => {
  it.each([
    [{ filter: {} }, 'filter'],
    [{ filter: undefined }, 'filter'],
    [{ filter: { status: 'done', limit: 'x' } }, 'filter.limit'],
    [{ filter: { tag: [] } }, 'filter.tag'],
    [{ filter: { tag: ['a', 'b', 'c', 'd', 'e', 'f'] } }, 'filter.tag'],
    [{ filter: { tag: ['a b'] } }, 'filter.tag[0]'],
    [{ filter: { ids: [] } }, 'filter.ids'],
    [{ filter: { ids: Array.from({ length: 1_001 }, (_, n) => `j${n}`) } }, 'filter.ids'],
    [{ filter: { ids: ['a\u0000'] } }, 'filter.ids[0]'],
    [{ filter: { schedule: 7 } }, 'filter.schedule'],
    [{ filter: { schedule: '\u0000' } }, 'filter.schedule'],
    [{ filter: { created_after: 'today' } }, 'filter.created_after'],
    [{ filter: { error_code: 'nonsense' } }, 'filter.error_code'],
    [{ action: 'pause' }, 'action'],
    [{ per_second: 0 }, 'per_second'],
    [{ per_second: 10_001 }, 'per_second'],
    [{ dry_run: 'yes' }, 'dry_run'],
  ])('rejects %j and names the field', async (change, path) => {
    const answer = await post({ action: 'cancel', filter: { status: 'pending' }, ...change });

    expectError(answer, 400, 'validation_failed', [path]);
  });

  it('counts with dry_run what a filter matches, whatever the state of the jobs, and changes nothing', async () => {
    await submitMany(3, () => ({ tags: ['x', 'y'], key: 'acme' }));
    const [one = ''] = await submitMany(2, () => ({ tags: ['x'] }));
    const done = await submitJob(person, 'first', { name: 'a:0' });
    await finishedJob(person, done);

    expect(await matches({ tag: 'x' })).toEqual({ matches: 5 });
    expect(await matches({ tag: ['x', 'y'] })).toEqual({ matches: 3 });
    expect(await matches({ key: 'acme' })).toEqual({ matches: 3 });
    expect(await matches({ status: 'completed' })).toEqual({ matches: 1 });
    expect(await matches({ type: 'other' })).toEqual({ matches: 5 });
    expect(await matches({ ids: [one, done, 'unknown'] })).toEqual({ matches: 2 });
    expect(await matches({ ids: [one, done], status: 'done' })).toEqual({ matches: 1 });
    expect(await matches({ schedule: 'unknown' })).toEqual({ matches: 0 });
    expect(await matches({ error_code: 'timeout' })).toEqual({ matches: 0 });
    expect(await matches({ created_before: later() })).toEqual({ matches: 6 });
    expect(await matches({ created_after: later() })).toEqual({ matches: 0 });
    expect((await person.get('/jobs/bulk')).body).toEqual([]);
  });

  it('cancels what has not finished and skips the rest', async () => {
    jobs.isHeld = true;
    const running = await submitJob(person, 'first', { name: 'a:0' }, { tags: ['t'] });
    await until('the job to run', () => jobs.running.size === 1);
    const waiting = await submitMany(4, () => ({ tags: ['t'] }));
    const done = await person.post(`/jobs/${waiting[0]}/cancel`);
    expect(done.status).toBe(202);

    expect(await run('cancel', { tag: 't' })).toMatchObject({
      status: 'done',
      total: 5,
      done: 4,
      skipped: 1,
      failed: 0,
    });
    for (const id of [running, ...waiting]) {
      expect((await finishedJob(person, id)).result.error.code).toBe('canceled');
    }
  });

  it('retries failed jobs once, and only those that matched when it was accepted', async () => {
    const ids = await submitMany(30, () => ({ tags: ['t'] }));
    await run('cancel', { tag: 't' });

    const bulk = await start('retry', { tag: 't', status: 'failed' }, { per_second: 100 });
    const late = await submitMany(1, () => ({ tags: ['t'] }));
    expect(await finished(bulk)).toMatchObject({ total: 30, done: 30, skipped: 0 });

    for (const id of ids) {
      const { body } = await person.get(`/jobs/${id}/logs`);
      const texts = body.map(({ message }: { message: string }) => message);
      expect(texts.filter((text: string) => text.includes('retried manually'))).toHaveLength(1);
    }
    expect(await statusOf(late[0] ?? '')).toBe('pending');
  });

  it('runs each finished job again once, with what a single rerun takes over', async () => {
    const ids = [];
    for (let n = 0; n < 3; n++)
      ids.push(await submitJob(person, 'first', { name: `a:${n}` }, { tags: ['t'], key: 'k' }));
    for (const id of ids) await finishedJob(person, id);
    await submitMany(1, () => ({ tags: ['t'] }));

    expect(await run('rerun', { tag: 't' })).toMatchObject({ total: 4, done: 3, skipped: 1, failed: 0 });
    const list = (await person.get('/jobs?tag=t&type=first')).body;
    const all = await Promise.all(list.map(async ({ id }: { id: string }) => (await person.get(`/jobs/${id}`)).body));
    const reruns = all.filter(({ rerun_of: of }) => of !== undefined);
    expect(reruns.map(({ rerun_of: of }) => of).sort()).toEqual([...ids].sort());
    for (const { key, tags, payload } of reruns) {
      expect({ key, tags, name: payload.name.slice(0, 2) }).toEqual({ key: 'k', tags: ['t'], name: 'a:' });
    }
  });

  it('deletes finished jobs with their logs and skips the rest', async () => {
    const done = await submitJob(person, 'first', { name: 'a:0' });
    await finishedJob(person, done);
    const [open = ''] = await submitMany(1, () => ({}));
    const { key } = await world.db.job.findFirstOrThrow({ where: { orgId: person.orgId, id: done } });

    expect(await run('delete', { ids: [done, open] })).toMatchObject({ total: 2, done: 1, skipped: 1, failed: 0 });
    expect((await person.get(`/jobs/${done}`)).status).toBe(404);
    expect(await statusOf(open)).toBe('pending');
    await until('the log to be deleted', async () => (await world.db.jobLog.count({ where: { jobKey: key } })) === 0);
  });

  it('is done if nothing matches, and never touches the jobs of another organization', async () => {
    const [theirs = ''] = await submitMany(1, () => ({ tags: ['t'] }));
    const owner = person;
    person = await register(api.call);

    const bulk = await run('cancel', { tag: 't' });
    expect(bulk).toMatchObject({ status: 'done', total: 0, done: 0, finished_at: expect.any(String) });
    expect(await start('cancel', { ids: [theirs] })).toMatchObject({ total: 0 });
    expect((await owner.get(`/jobs/${theirs}`)).body.status).toBe('pending');
    expectError(await owner.get(`/jobs/bulk/${bulk.id}`), 404, 'not_found');
    expectError(await owner.post(`/jobs/bulk/${bulk.id}/stop`), 404, 'not_found');
  });

  it('is carried out once for one Idempotency-Key', async () => {
    await submitMany(2, () => ({ tags: ['t'] }));
    const body = { action: 'cancel', filter: { tag: 't' } };
    const headers = { 'idempotency-key': 'once' };

    const answers = await Promise.all(Array.from({ length: 4 }, () => post(body, headers)));
    expect(new Set(answers.map((answer) => answer.body.id)).size).toBe(1);
    expect(answers.filter((answer) => answer.headers.get('idempotent-replayed') === 'true')).toHaveLength(3);
    expectError(await post({ ...body, filter: { tag: 'u' } }, headers), 422, 'idempotency_key_reused');
    expect((await person.get('/jobs/bulk')).body).toHaveLength(1);
  });

  it('stops on request, and is not limited to the process that accepted it', async () => {
    await submitMany(300, () => ({ tags: ['t'] }));
    const bulk = await start('cancel', { tag: 't' }, { per_second: 20 });
    await until('some jobs to be canceled', async () => (await person.get(`/jobs/bulk/${bulk.id}`)).body.done > 0);

    const stopped = await person.post(`/jobs/bulk/${bulk.id}/stop`);
    expect([stopped.status, stopped.body.status]).toEqual([202, 'stopped']);
    const { done } = await finished(bulk);
    expect(done).toBe(stopped.body.done);
    expect(await world.db.job.count({ where: { orgId: person.orgId, status: 'failed' } })).toBe(done);
    expect((await person.post(`/jobs/bulk/${bulk.id}/stop`)).body).toEqual(stopped.body);
    expect(await world.db.bulkPart.count({ where: { bulkId: bulk.id } })).toBe(0);
  });

  it('is listed with its filter, in pages that end early if the filters are large', async () => {
    const ids = Array.from({ length: 1_000 }, (_, n) => `${n}`.padStart(4, '0') + '𝒳'.repeat(196));
    // No step is due: a finished action would have hashes in place of the ids.
    const row = { orgId: person.orgId, action: 'cancel', filter: { ids }, status: 'running', total: 1 } as const;
    const times = { createdAt: new Date(), nextAt: new Date(later()) };
    await world.db.bulkAction.createMany({
      data: Array.from({ length: 6 }, () => ({ ...row, ...times, id: newId() })),
    });

    const pages: Answered[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const answer: Answered = await person.get(`/jobs/bulk${cursor && `?cursor=${cursor}`}`);
      pages.push(answer);
      cursor = answer.headers.get('x-next-cursor');
    }

    expect(pages.map(({ body }) => body.length)).toEqual([3, 3]);
    expect(pages[0]?.body[0].filter).toEqual({ ids });
    expect(new Set(pages.flatMap(({ body }) => body.map(({ id }: { id: string }) => id))).size).toBe(6);
  });

  it('may run 20 times at the same time for one organization', async () => {
    await submitMany(1, () => ({ tags: ['t'] }));
    // No step is due, so they keep running.
    const row = { orgId: person.orgId, action: 'cancel', filter: {}, status: 'running', total: 1 } as const;
    const inAnHour = new Date(later());
    const rows = Array.from({ length: 20 }, (_, n) => ({
      ...row,
      id: `0198c5a0-0000-7000-8000-${String(n).padStart(12, '0')}`,
      createdAt: new Date(),
      nextAt: inAnHour,
    }));
    await world.db.bulkAction.createMany({ data: rows });

    expectError(await post({ action: 'cancel', filter: { tag: 't' } }), 409, 'conflict');
    await person.post(`/jobs/bulk/${rows[0]?.id}/stop`);
    expect(await run('cancel', { tag: 't' })).toMatchObject({ done: 1 });
  });
});
