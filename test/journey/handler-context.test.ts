import { createCatalogue, defineHandler, type Handler, HandlerError, type RunContext } from '@jobline/handlers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  createWorld,
  finishedJob,
  type Person,
  register,
  runToEnd,
  submitJob,
  until,
  type World,
} from '../harness/index.js';

let world: World;
let person: Person;
beforeEach(async () => {
  world = await createWorld();
  person = await register((await world.api()).call);
});
afterEach(() => world.end());

async function startWith(...handlers: Handler[]): Promise<void> {
  const quick = defineHandler({ type: 'quick', run: async () => 'ok' });
  await world.worker({ catalogue: createCatalogue([...createCatalogue().values(), quick, ...handlers]) });
}

/** A handler that fails until its last attempt. */
function untilLast(type: string, run: (ctx: RunContext, payload: Record<string, unknown>) => Promise<unknown>) {
  return defineHandler({
    type,
    async run(payload, ctx) {
      const result = await run(ctx, payload);
      if (!ctx.isLastAttempt) throw new HandlerError('handler_error', 'not the last attempt');
      return result;
    },
  });
}

const jobsOf = async (type: string) => (await person.get(`/jobs?type=${type}&limit=1000`)).body;

describe('ctx.job', () => {
  it('has everything that the submission said, and counts its retries', async () => {
    await startWith(untilLast('look', async ({ job, isLastAttempt }) => ({ job, isLastAttempt })));
    const said = {
      tags: ['b', 'a'],
      key: 'customer 1',
      priority: 3,
      max_retries: 1,
      expires_at: new Date(Date.now() + 86_400_000).toISOString(),
    };
    const { job, result } = await runToEnd(person, 'look', {}, { id: 'mine', ...said });

    expect(result.result).toEqual({
      job: {
        ...{ id: 'mine', type: 'look', ...said, retries: 1, created_at: job.created_at, run_at: expect.any(String) },
        ...{ schedule_id: null, planned_at: null },
      },
      isLastAttempt: true,
    });
  });

  it('is a copy in which everything that is not set is null, and names the schedule that made the job', async () => {
    const look = defineHandler({
      type: 'look',
      async run(_payload, { job }) {
        const before = JSON.stringify(job);
        job.tags.push('changed');
        return JSON.parse(before);
      },
    });
    await startWith(look);
    const { job, result } = await runToEnd(person, 'look', {});
    const unset = { tags: [], key: null, priority: 0, retries: 0, max_retries: 0, expires_at: null };
    const times = { created_at: job.created_at, run_at: job.created_at };
    expect(result.result).toEqual({
      id: job.id,
      type: 'look',
      ...unset,
      ...times,
      schedule_id: null,
      planned_at: null,
    });

    const body = { name: 'nightly', cron: '0 3 * * *', type: 'look', payload: {} };
    const { id } = (await person.post('/schedules', body)).body;
    const byHand = (await person.post(`/schedules/${id}/run`)).body;
    expect((await finishedJob(person, byHand.id)).result.result).toMatchObject({ schedule_id: id, planned_at: null });
    const at = new Date(Date.now() - 5_000);
    at.setMilliseconds(0);
    await world.db.schedule.update({ where: { id }, data: { nextRunAt: at } });
    const planned = await until('the planned job', async () => {
      const { last_job_id: last } = (await person.get(`/schedules/${id}`)).body;
      return last !== byHand.id && last;
    });
    const { result: ofPlan } = await finishedJob(person, planned);
    expect(ofPlan.result).toMatchObject({ schedule_id: id, planned_at: at.toISOString() });
  });
});

describe('ctx.submit', () => {
  it('submits the same jobs in every attempt and after a retry by hand, by the order of the calls or by an id', async () => {
    const parent = defineHandler({
      type: 'parent',
      async run(_payload, { submit, attempt }) {
        const jobs = await Promise.all([submit('quick', { n: 1 }), submit('quick', { n: 1 }, { tags: ['second'] })]);
        jobs.push(await submit('quick', { n: 3 }, { id: 'chosen' }), await submit('quick', { n: 4 }));
        if (attempt < 3) throw new Error('again');
        return jobs.map(({ id }) => id);
      },
    });
    await startWith(parent);
    const id = await submitJob(person, 'parent', {}, { max_retries: 1 });
    expect((await finishedJob(person, id)).job.status).toBe('failed');
    expect((await person.post(`/jobs/${id}/retry`)).status).toBe(202);
    const { job, result } = await finishedJob(person, id);

    expect(job.status).toBe('done');
    const ids = [`${id}-1`, `${id}-2`, 'chosen', `${id}-3`];
    expect(result.result).toEqual(ids);
    const children = await jobsOf('quick');
    expect(children.map((child: { id: string }) => child.id).sort()).toEqual([...ids].sort());
    expect(children.find((child: { id: string }) => child.id === ids[1])).toMatchObject({ tags: ['second'] });
  });

  it('rejects other content at the same position or with the same id as a conflict that names options.id', async () => {
    const errors: unknown[] = [];
    const parent = untilLast('parent', async ({ submit, attempt }, payload) => {
      await submit('quick', { attempt }, payload.options ?? {}).catch((error) => errors.push(error));
    });
    await startWith(parent);
    await runToEnd(person, 'parent', {}, { max_retries: 1 });
    await runToEnd(person, 'parent', { options: { id: 'chosen' } }, { max_retries: 1 });

    const conflict = {
      code: 'conflict',
      message: expect.stringContaining('options.id'),
      details: [{ path: 'options.id', message: expect.any(String) }],
    };
    expect(errors).toMatchObject([conflict, conflict]);
    expect(await jobsOf('quick')).toHaveLength(2);
  });

  it('checks a job like POST /jobs', async () => {
    const tries: [string, object, object?][] = [
      ['quick', {}, { max_retries: 101, unknown: 1 }],
      ['quick', {}, { type: 'other' }],
      ['quick', [], {}],
      ['not a name', {}],
      ['webhook', { url: 'ftp://example.com', payload: {} }],
      ['send_email', { to: 'a@example.com', template: 'none' }],
      ['quick', {}, { limit: 'none' }],
      ['quick', {}, { expires_at: '2026-01-01T00:00:00Z' }],
      ['quick', { text: 'x'.repeat(1024 * 1024) }],
    ];
    const parent = defineHandler({
      type: 'parent',
      async run(_payload, { submit }) {
        const answers: unknown[] = [];
        for (const one of tries) {
          answers.push(
            await submit(...one).catch(({ code, details }) => [
              code,
              ...(details ?? []).map((d: { path: string }) => d.path),
            ]),
          );
        }
        return answers;
      },
    });
    await startWith(parent);
    const { result } = await runToEnd(person, 'parent', {});

    expect(result.result).toEqual([
      ['validation_failed', 'max_retries', 'unknown'],
      ['validation_failed', 'options.type'],
      ['validation_failed', 'payload'],
      ['validation_failed', 'type'],
      ['validation_failed', 'payload.url'],
      ['validation_failed', 'payload.template'],
      ['validation_failed', 'limit'],
      ['validation_failed', 'expires_at'],
      ['payload_too_large'],
    ]);
    expect(await jobsOf('quick')).toEqual([]);
  });
});

describe('the quotas of ctx.submit', () => {
  const parent = defineHandler({
    type: 'parent',
    async run(_payload, { submit }) {
      const answers: string[] = [];
      for (let n = 0; n < 3; n++) {
        const later = { run_at: new Date(Date.now() + 3_600_000).toISOString() };
        answers.push(
          await submit('quick', {}, later).then(
            ({ status }) => status,
            ({ code }) => code,
          ),
        );
      }
      return answers;
    },
  });

  it('are the pending jobs that an organization may have', async () => {
    await world.worker({ orgMaxWaiting: 2, catalogue: createCatalogue([parent]) });
    expect((await runToEnd(person, 'parent', {})).result.result).toEqual(['pending', 'pending', 'rate_limited']);
  });

  it('are the bytes that an organization may store', async () => {
    await world.worker({ maxStoredBytes: 500, catalogue: createCatalogue([parent]) });
    await world.db.organization.updateMany({ data: { storedBytes: 2_000 } });
    const id = await submitJob(person, 'parent', {});
    expect((await finishedJob(person, id)).result.result).toEqual(Array(3).fill('rate_limited'));
  });
});

describe('the defaults of a handler', () => {
  const fail = async () => {
    throw new Error('no');
  };

  it('give max_retries to every submission that names none, and replays stay replays', async () => {
    const child = defineHandler({ type: 'child', defaults: { max_retries: 2 }, run: fail });
    const parent = defineHandler({ type: 'parent', run: (_payload, { submit }) => submit('child', {}) });
    await startWith(child, parent);
    const retriesOf = async (id: string) => (await person.get(`/jobs/${id}`)).body.max_retries;
    const submitted = async (path: string, body?: object) => (await person.post(path, body)).body;

    const own = { id: 'own', type: 'child', payload: {} };
    await submitted('/jobs', own);
    expect(await retriesOf('own')).toBe(2);
    expect((await person.post('/jobs', own)).status).toBe(202);
    expect((await person.post('/jobs', { ...own, max_retries: 2 })).status).toBe(409);
    expect(await retriesOf(await submitJob(person, 'child', {}, { max_retries: 0 }))).toBe(0);
    const batch = await submitted('/jobs/batch', {
      jobs: [
        { type: 'child', payload: {} },
        { Type: 'child', Payload: {} },
      ],
    });
    for (const { id } of batch.jobs) expect(await retriesOf(id)).toBe(2);
    await finishedJob(person, 'own');
    expect(await retriesOf((await submitted('/jobs/own/rerun')).id)).toBe(2);
    const schedule = await submitted('/schedules', { name: 's', cron: '@daily', type: 'child', payload: {} });
    expect(schedule.max_retries).toBe(2);
    expect(await retriesOf((await submitted(`/schedules/${schedule.id}/run`)).id)).toBe(2);
    expect(await retriesOf((await runToEnd(person, 'parent', {})).result.result.id)).toBe(2);
    expect(await retriesOf(await submitJob(person, 'quick', {}))).toBe(0);
  });

  it('limit the time of an attempt, and decide how long retries wait', async () => {
    const slow = defineHandler({
      type: 'slow',
      defaults: { max_retries: 1, timeout_ms: 50, backoff: { base_ms: 400, max_ms: 400 } },
      run: (_payload, { signal }) =>
        new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
    });
    await startWith(slow);
    const { attempts, result } = await runToEnd(person, 'slow', {});

    expect(result.error.code).toBe('timeout');
    expect(attempts).toHaveLength(2);
    const [first, second] = attempts;
    const waitedMs = Date.parse(second?.started_at ?? '') - Date.parse(first?.finished_at ?? '');
    // The retries of this worker wait 20 ms unless a handler says otherwise.
    expect(waitedMs).toBeGreaterThanOrEqual(300);
    const types = (await person.get('/job-types')).body;
    expect(types.find((one: { type: string }) => one.type === 'slow')).toMatchObject({ timeout_ms: 50 });
  });
});
