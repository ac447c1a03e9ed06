import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  createWorld,
  finishedJob,
  type Person,
  register,
  type TestApi,
  until,
  type World,
} from '../../harness/index.js';
import { expectError } from '../support.js';
import { createSchedule, jobIdOf, jobsOf, makeDue, planNow, readSchedule, untilPlanned } from './support.js';

const CALLBACK = 'https://example.com/callback';

let world: World;
let api: TestApi;
let person: Person;

beforeAll(async () => {
  world = await createWorld();
  api = await world.api();
  person = await register(api.call);
});
afterAll(() => world.end());

const count = async (id: string) => (await jobsOf(person, id)).length;

describe('without a worker', () => {
  it('a planned time makes one job, with the fields of its schedule and an id that follows from the time', async () => {
    await person.put('/org/limits/slow', { concurrency: 1 });
    const fields = {
      payload: { a: 1 },
      max_retries: 3,
      tags: ['t'],
      limit: 'slow',
      key: 'acme',
      callback_url: CALLBACK,
    };
    const { id } = await createSchedule(person, { ...fields, priority: 7 });
    const at = await makeDue(world.db, id);
    await untilPlanned(world.db, id);

    const [job, ...others] = await jobsOf(person, id);
    expect(others).toEqual([]);
    expect(job).toMatchObject({
      ...fields,
      id: jobIdOf(id, at),
      type: 'no.handler',
      status: 'pending',
      schedule_id: id,
      planned_at: at.toISOString(),
    });
    expect(await world.db.submittedJob.findFirst({ where: { id: jobIdOf(id, at) } })).toMatchObject({ priority: 7 });
    const after = await readSchedule(person, id);
    expect(after).toMatchObject({ last_run_at: at.toISOString(), last_job_id: job?.id, skipped: 0 });
    expect(Date.parse(after.next_run_at ?? '')).toBe(at.getTime() + 3_600_000);
  });

  it('a cron schedule moves on to its own next time', async () => {
    const { id, next_run_at } = await createSchedule(person, { cron: '15 3 * * *', timezone: 'America/New_York' });
    await makeDue(world.db, id);
    await untilPlanned(world.db, id);
    expect(await readSchedule(person, id)).toMatchObject({ next_run_at });
    expect(await count(id)).toBe(1);
  });

  it('a schedule runs by itself, in time', async () => {
    const { id, next_run_at } = await createSchedule(person, { every_seconds: 5 });
    await until('two runs', async () => (await count(id)) >= 2);
    const jobs = await jobsOf(person, id);
    const first = Date.parse(next_run_at ?? '');
    expect(jobs.slice(0, 2).map(({ planned_at }) => Date.parse(planned_at ?? ''))).toEqual([first, first + 5_000]);
    expect(jobs.every((job) => Date.parse(String(job.created_at)) >= Date.parse(job.planned_at ?? ''))).toBe(true);
    await person.delete(`/schedules/${id}`);
  });

  it('more schedules that are due than one round looks at are all made', async () => {
    const other = await register(api.call);
    await world.db.$executeRaw`
      INSERT INTO schedules (id, org_id, name, every_seconds, timezone, anchor_at, type, payload, payload_bytes, max_retries,
        priority, overlap, missed, enabled, next_run_at, created_at)
      SELECT gen_random_uuid(), ${other.orgId}::uuid, 'n' || n, 3600, 'UTC', now(), 't', '{}', 2, 0, 0, 'allow', 'skip', true,
        now(), now() FROM generate_series(1, 450) AS n`;
    const isDue = { orgId: other.orgId, nextRunAt: { lte: new Date() } };
    await until('all to be planned', async () => (await world.db.schedule.count({ where: isDue })) === 0);
    expect(await world.db.submittedJob.count({ where: { orgId: other.orgId } })).toBe(450);
  });

  it('schedules with large payloads are made, although one transaction holds few of them', async () => {
    const other = await register(api.call);
    const payload = { text: 'x'.repeat(900_000) };
    const ids = [];
    for (let n = 0; n < 4; n++)
      ids.push((await createSchedule(other, { payload, every_seconds: 5, missed: 'run_all' })).id);
    for (const id of ids) await makeDue(world.db, id, 12);
    for (const id of ids) await untilPlanned(world.db, id);
    for (const id of ids) expect((await other.get(`/jobs?schedule=${id}`)).body.length).toBeGreaterThanOrEqual(3);
    for (const id of ids) await other.delete(`/schedules/${id}`);
  });

  it('a planned job whose id is taken counts as made, and nothing else is stored', async () => {
    const { id } = await createSchedule(person);
    const at = new Date(Date.now() - 5_000);
    const taken = jobIdOf(id, at);
    expect((await person.post('/jobs', { id: taken, type: 'mine', payload: { mine: true } })).status).toBe(202);
    await world.db.$executeRaw`UPDATE schedules SET next_run_at = ${at} WHERE id = ${id}::uuid`;
    await planNow(person, await readSchedule(person, id));

    expect(await jobsOf(person, id)).toEqual([]);
    expect((await person.get(`/jobs/${taken}`)).body).toMatchObject({ type: 'mine', payload: { mine: true } });
    expect(await readSchedule(person, id)).toMatchObject({ last_run_at: at.toISOString(), last_job_id: taken });
  });

  it('the id of a planned job belongs to that job', async () => {
    const { id } = await createSchedule(person);
    const at = await makeDue(world.db, id);
    await planNow(person, await readSchedule(person, id));
    const body = { id: jobIdOf(id, at), type: 'no.handler', payload: {} };
    expectError(await person.post('/jobs', body), 409, 'conflict', ['id']);
  });

  it('a time that was made is not due again when its job is deleted', async () => {
    const { id } = await createSchedule(person);
    await makeDue(world.db, id);
    await planNow(person, await readSchedule(person, id));
    const [job] = await jobsOf(person, id);
    await person.post(`/jobs/${job?.id}/cancel`);
    expect((await person.delete(`/jobs/${job?.id}`)).status).toBe(204);
    // A later time of another schedule is made after it.
    const later = await createSchedule(person);
    await makeDue(world.db, later.id);
    await planNow(person, later);
    expect(await count(id)).toBe(0);
  });

  it('a schedule of a deleted limit makes jobs that keep its name', async () => {
    await person.put('/org/limits/passing', { concurrency: 1 });
    const { id } = await createSchedule(person, { limit: 'passing' });
    await person.delete('/org/limits/passing');
    await makeDue(world.db, id, 5);
    await planNow(person, await readSchedule(person, id));
    expect((await person.post(`/schedules/${id}/run`)).status).toBe(202);
    expect((await jobsOf(person, id)).map(({ limit }) => limit)).toEqual(['passing', 'passing']);
  });

  it('the bound of pending jobs does not keep planned jobs or runs by hand from being made', async () => {
    const narrow = await world.alone.api({ orgMaxWaiting: 1 });
    const other = await register(narrow.call);
    const { id } = await createSchedule(other);
    expect((await other.post('/jobs', { type: 't', payload: {} })).status).toBe(202);
    expectError(await other.post('/jobs', { type: 't', payload: {} }), 429, 'rate_limited');
    await makeDue(world.db, id);
    await planNow(other, await readSchedule(other, id));
    expect((await other.post(`/schedules/${id}/run`)).status).toBe(202);
    expect((await other.post(`/schedules/${id}/run`, undefined, { headers: { 'idempotency-key': 'k' } })).status).toBe(
      202,
    );
    expect((await other.get(`/jobs?schedule=${id}`)).body).toHaveLength(3);
  });
});

describe('GET /jobs?schedule=', () => {
  it('lists the jobs of a schedule, combined with the other filters, page by page', async () => {
    const { id } = await createSchedule(person, { tags: ['red'], key: 'acme' });
    const other = await createSchedule(person, { tags: ['red'], key: 'acme' });
    const ids: string[] = [];
    for (let n = 0; n < 4; n++) ids.unshift((await person.post(`/schedules/${id}/run`)).body.id);
    await person.post(`/schedules/${other.id}/run`);
    await person.post(`/jobs/${ids[0]}/cancel`);
    const list = async (query: string) =>
      ((await person.get(`/jobs?schedule=${id}${query}`)).body as { id: string }[]).map((job) => job.id);

    expect(await list('')).toEqual(ids);
    expect(await list('&tag=red&key=acme')).toEqual(ids);
    expect(await list('&tag=blue')).toEqual([]);
    expect(await list('&status=failed')).toEqual(ids.slice(0, 1));
    expect(await list('&type=another')).toEqual([]);
    const first = await person.get(`/jobs?schedule=${id}&limit=3`);
    expect(await list(`&cursor=${first.headers.get('x-next-cursor')}`)).toEqual(ids.slice(3));
    expect(await list('&limit=3')).toEqual(ids.slice(0, 3));
    expect((await person.get(`/jobs?schedule=${id.toUpperCase()}`)).body).toHaveLength(4);
    expect((await (await register(api.call)).get(`/jobs?schedule=${id}`)).body).toEqual([]);
  });

  it.each(['x', '', '1', '00000000-0000-0000-0000'])('%j is a 400', async (value) => {
    expectError(await person.get(`/jobs?schedule=${value}`), 400, 'validation_failed', ['schedule']);
  });
});

describe('POST /schedules/{id}/run', () => {
  it('makes a job at once, without a planned time, and leaves the plan as it is', async () => {
    const more = { callback_url: CALLBACK, priority: 7 };
    const before = await createSchedule(person, {
      payload: { a: 1 },
      tags: ['t'],
      key: 'acme',
      max_retries: 2,
      ...more,
    });
    const answer = await person.post(`/schedules/${before.id}/run`);
    expect([answer.status, answer.body]).toEqual([202, { id: expect.any(String), status: 'pending' }]);
    const job = (await person.get(`/jobs/${answer.body.id}`)).body;
    expect(job).toMatchObject({ payload: { a: 1 }, tags: ['t'], key: 'acme', max_retries: 2, schedule_id: before.id });
    expect(job).not.toHaveProperty('planned_at');
    expect(job.callback_url).toBe(CALLBACK);
    expect(await world.db.submittedJob.findFirst({ where: { id: job.id } })).toMatchObject({ priority: 7 });

    const after = await readSchedule(person, before.id);
    const ran = { last_run_at: expect.any(String), last_job_id: answer.body.id };
    expect(after).toEqual({ ...before, ...ran, last_status: 'pending' });
    await person.post(`/jobs/${job.id}/cancel`);
    expect((await person.get('/schedules')).body).toContainEqual({ ...after, last_status: 'failed' });
    await person.delete(`/jobs/${job.id}`);
    expect(await readSchedule(person, before.id)).toEqual({ ...after, last_status: null });
  });

  it('is replayed with an Idempotency-Key, also after the schedule is deleted', async () => {
    const { id } = await createSchedule(person);
    const headers = { 'idempotency-key': 'run-1' };
    const first = await person.post(`/schedules/${id}/run`, undefined, { headers });
    const again = await person.post(`/schedules/${id}/run`, undefined, { headers });
    expect([again.status, again.body, again.headers.get('idempotent-replayed')]).toEqual([202, first.body, 'true']);
    expect(first.headers.get('idempotent-replayed')).toBeNull();
    expect(await count(id)).toBe(1);
    const other = await createSchedule(person);
    expectError(await person.post(`/schedules/${other.id}/run`, undefined, { headers }), 422, 'idempotency_key_reused');

    await person.delete(`/schedules/${id}`);
    const later = await person.post(`/schedules/${id}/run`, undefined, { headers });
    expect([later.status, later.body]).toEqual([202, first.body]);
    expectError(await person.post(`/schedules/${id}/run`), 404, 'not_found');
  });

  it('one job comes out of many simultaneous runs with one key', async () => {
    const { id } = await createSchedule(person);
    const headers = { 'idempotency-key': 'run-many' };
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => person.post(`/schedules/${id}/run`, undefined, { headers })),
    );
    expect(new Set(answers.map(({ status, body }) => `${status} ${body.id}`)).size).toBe(1);
    expect(await count(id)).toBe(1);
  });

  it('is a 403 if the sender is no longer verified', async () => {
    const domain = { orgId: person.orgId, domain: 'passing.example', token: 'x', verifiedAt: new Date() };
    await world.db.domain.create({ data: domain });
    const payload = { to: 'a@example.com', subject: 's', body: 'b', from: 'me@passing.example' };
    const { id } = await createSchedule(person, { type: 'send_email', payload });
    await world.db.domain.deleteMany({ where: { domain: 'passing.example' } });
    expectError(await person.post(`/schedules/${id}/run`), 403, 'sender_domain_not_verified');

    await makeDue(world.db, id);
    await planNow(person, await readSchedule(person, id));
    expect(await count(id)).toBe(1);
    await person.delete(`/schedules/${id}`);
  });
});

describe('a planned job with a worker', () => {
  beforeAll(async () => {
    await world.worker();
  });

  it('runs like any other, and keeps its schedule and its time after its end', async () => {
    const { id } = await createSchedule(person, { type: 'ai_summarize', payload: { text: 'A text.' } });
    const at = await makeDue(world.db, id);
    await planNow(person, await readSchedule(person, id));
    const { job } = await finishedJob(person, jobIdOf(id, at));
    expect(job).toMatchObject({ status: 'done', schedule_id: id, planned_at: at.toISOString() });
  });

  it('has its payload checked again when it runs', async () => {
    const { id } = await createSchedule(person, { type: 'ai_summarize', payload: { text: 'A text.' } });
    await world.db.$executeRaw`UPDATE schedules SET payload = '{"text": 5}' WHERE id = ${id}::uuid`;
    const at = await makeDue(world.db, id);
    await planNow(person, await readSchedule(person, id));
    const { job, result } = await finishedJob(person, jobIdOf(id, at));
    expect(result.error.code).toBe('invalid_payload');
    expect((await person.post(`/jobs/${job.id}/retry`)).status).toBe(202);
    expect((await person.get(`/jobs/${job.id}`)).body).toMatchObject({ schedule_id: id, planned_at: at.toISOString() });
  });
});
