import { createCatalogue, defineHandler, HandlerError } from '@jobline/handlers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
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
import { expectError } from '../support.js';

let world: World;
let api: TestApi;
let person: Person;
let attempts: number;
let isHeld: boolean;

const failing = defineHandler({
  type: 'failing',
  run() {
    attempts += 1;
    throw new HandlerError('provider_rejected', 'not today');
  },
});
const held = defineHandler({
  type: 'held',
  async run(_payload, { signal }) {
    attempts += 1;
    await until('it to be let go', () => !isHeld || signal.aborted);
    throw new HandlerError('provider_rejected', 'too late');
  },
});

beforeAll(async () => {
  world = await createWorld();
  api = await world.api();
  person = await register(api.call);
});
afterAll(() => world.end());

const isExpiring = { expiresAt: { not: null } };
const inMs = (ms: number) => new Date(Date.now() + ms).toISOString();
const submit = (more: object, headers = {}): Promise<Answered> =>
  person.post('/jobs', { type: 'failing', payload: {}, ...more }, { headers });
const detail = async (id: string) => (await person.get(`/jobs/${id}`)).body;

/** Moves the expiry of a job into the past. */
async function passExpiry(id: string): Promise<void> {
  await world.db.$executeRaw`UPDATE jobs SET expires_at = now() - interval '1 s' WHERE id = ${id}`;
}

describe('without a worker', () => {
  it.each([
    ['enqueued', {}],
    ['scheduled', { run_at: inMs(3_600_000) }],
  ])('a job that is %s fails with expired when its time has passed', async (_stage, more) => {
    const expires_at = inMs(7_200_000);
    const { id } = (await submit({ ...more, expires_at })).body;
    expect(await detail(id)).toMatchObject({ status: 'pending', expires_at });
    await passExpiry(id);

    const { job, result } = await finishedJob(person, id);
    expect(job).toMatchObject({ status: 'failed', retries: 0 });
    expect(result.error).toEqual({ code: 'expired', message: 'the job expired before its next attempt' });
    expect((await person.get(`/jobs/${id}/logs?detail=full`)).body).toMatchObject([
      { kind: 'expired', level: 'warn', message: 'the job expired before its next attempt', error_code: 'expired' },
    ]);
    expect((await person.get(`/jobs/${id}/attempts`)).body).toEqual([]);
  });

  it('an expired job that waits for capacity in its queue fails, too', async () => {
    const { id } = (await submit({ expires_at: inMs(3_600_000) })).body;
    await world.db.$executeRaw`UPDATE jobs SET place = 'waiting', expires_at = now() - interval '1 s' WHERE id = ${id}`;
    expect((await finishedJob(person, id)).result.error.code).toBe('expired');
  });

  it('more expired jobs than one statement ends fail within one pass', async () => {
    const jobs = Array.from({ length: 450 }, () => ({ type: 'failing', payload: {}, expires_at: inMs(3_600_000) }));
    expect((await person.post('/jobs/batch', { jobs })).status).toBe(202);
    await world.db.$executeRaw`UPDATE live_jobs SET expires_at = now() - interval '1 s' WHERE expires_at IS NOT NULL`;
    await until('all to have failed', async () => (await world.db.liveJob.count({ where: isExpiring })) === 0);
  });

  it('an expired job cannot be retried, but it can be run again as a new job without an expiry', async () => {
    const { id } = (await submit({ expires_at: inMs(3_600_000), tags: ['t'] })).body;
    await passExpiry(id);
    await finishedJob(person, id);
    expectError(await person.post(`/jobs/${id}/retry`), 409, 'conflict');
    expect((await detail(id)).status).toBe('failed');

    const again = await person.post(`/jobs/${id}/rerun`);
    expect(again.status, again.text).toBe(202);
    const job = await detail(again.body.id);
    expect(job).toMatchObject({ rerun_of: id, tags: ['t'] });
    expect(job).not.toHaveProperty('expires_at');
    await person.post(`/jobs/${again.body.id}/cancel`);
  });

  it('a failed job with an expiry in the future can be retried, and keeps it', async () => {
    const expires_at = inMs(3_600_000);
    const { id } = (await submit({ expires_at })).body;
    await person.post(`/jobs/${id}/cancel`);
    expect(await detail(id)).toMatchObject({ status: 'failed', expires_at });
    expect((await person.post(`/jobs/${id}/retry`)).status).toBe(202);
    expect(await detail(id)).toMatchObject({ status: 'pending', expires_at });
    await passExpiry(id);
    expect((await finishedJob(person, id)).result.error.code).toBe('expired');
  });

  it('a cancel that races with the expiry leaves one of the two errors', async () => {
    const ids = await Promise.all(
      Array.from({ length: 20 }, async () => (await submit({ expires_at: inMs(3_600_000) })).body.id as string),
    );
    const expiring = world.db.$executeRaw`UPDATE live_jobs SET expires_at = now() WHERE expires_at IS NOT NULL`;
    const canceled = await Promise.all(ids.map((id) => person.post(`/jobs/${id}/cancel`)));
    await expiring;
    for (const [n, id] of ids.entries()) {
      const { code } = (await finishedJob(person, id)).result.error;
      expect(code).toBe(canceled[n]?.status === 202 ? 'canceled' : 'expired');
      const ends = (await person.get(`/jobs/${id}/logs?detail=full`)).body;
      expect(ends.map(({ kind }: { kind: string }) => kind)).toEqual([code]);
    }
  });
});

describe('a submission with expires_at', () => {
  const SAME_TIME = inMs(9_000_000);

  it('may be almost a year ahead', async () => {
    expect((await submit({ expires_at: inMs(364 * 86_400_000), run_at: inMs(9_000_000) })).status).toBe(202);
  });

  it.each([
    ['in the past', () => ({ expires_at: inMs(-1_000) }), 'must be later than now'],
    ['more than a year ahead', () => ({ expires_at: inMs(367 * 86_400_000) }), 'at most a year'],
    ['without a time zone', () => ({ expires_at: '2026-12-01T00:00:00' }), 'time zone'],
    ['that is a number', () => ({ expires_at: 5 }), 'must be a string'],
    ['that is null', () => ({ expires_at: null }), 'must be a string'],
    ['before run_at', () => ({ run_at: inMs(9_000), expires_at: inMs(8_000) }), 'later than "run_at"'],
    ['equal to run_at', () => ({ run_at: SAME_TIME, expires_at: SAME_TIME }), 'later than "run_at"'],
  ])('%s is a 400 that names it', async (_what, more, message) => {
    const answer = await submit(more());
    expectError(answer, 400, 'validation_failed');
    expect(answer.body.error.details).toEqual([{ path: 'expires_at', message: expect.stringContaining(message) }]);
  });

  it('in the past is a 400 for a batch, which stores nothing and names each', async () => {
    const job = { type: 'failing', payload: {} };
    const late = { ...job, expires_at: inMs(-1_000) };
    const before = await world.db.submittedJob.count();
    for (const headers of [{}, { 'idempotency-key': 'late-batch' }]) {
      const answer = await person.post('/jobs/batch', { jobs: [late, job, late] }, { headers });
      expectError(answer, 400, 'validation_failed');
      expect(answer.body.error.details.map(({ path }: { path: string }) => path)).toEqual([
        'jobs[0].expires_at',
        'jobs[2].expires_at',
      ]);
    }
    expect(await world.db.submittedJob.count()).toBe(before);
  });

  it('is refused in the capitalized spelling', async () => {
    const answer = await person.post('/jobs', { Type: 'failing', Payload: {}, Expires_At: inMs(9_000) });
    expectError(answer, 400, 'validation_failed');
  });

  it('counts as content: a replay needs the same time', async () => {
    const expires_at = inMs(3_600_000);
    const body = { id: 'with-expiry', expires_at };
    expect((await submit(body)).headers.get('idempotent-replayed')).toBeNull();
    expect((await submit(body)).headers.get('idempotent-replayed')).toBe('true');
    expectError(await submit({ ...body, expires_at: inMs(7_200_000) }), 409, 'conflict');
    expectError(await submit({ id: 'with-expiry' }), 409, 'conflict');
    await person.post('/jobs/with-expiry/cancel');
  });

  it('is replayed after it has expired, by id, in a batch and by idempotency key', async () => {
    const expires_at = inMs(5_000);
    const headers = { 'idempotency-key': 'expires-soon' };
    const body = { id: 'soon', expires_at };
    const keyed = { expires_at };
    const jobs = [{ type: 'failing', payload: {}, ...body, id: 'soon-in-batch' }];
    expect((await submit(body)).status).toBe(202);
    expect((await submit(keyed, headers)).status).toBe(202);
    expect((await person.post('/jobs/batch', { jobs })).status).toBe(202);
    await finishedJob(person, 'soon');
    await finishedJob(person, 'soon-in-batch');

    for (const answer of [await submit(body), await submit(keyed, headers)]) {
      expect([answer.status, answer.headers.get('idempotent-replayed')], answer.text).toEqual([202, 'true']);
      expect(answer.body.status).toBe('failed');
    }
    const batch = await person.post('/jobs/batch', { jobs });
    expect([batch.status, batch.body.jobs]).toEqual([202, [{ id: 'soon-in-batch', status: 'failed' }]]);
    expectError(await submit({ expires_at }), 400, 'validation_failed');
  });
});

describe('with a worker', () => {
  beforeAll(async () => {
    await world.worker({ catalogue: createCatalogue([failing, held]) });
  });

  it('a job that waits for a retry expires then, with the attempts that it had', async () => {
    attempts = 0;
    const id = await submitJob(person, 'failing', {}, { max_retries: 100, expires_at: inMs(3_600_000) });
    await until('the first attempt to fail', async () => (await detail(id)).retries > 0);
    await passExpiry(id);
    const { job, result } = await finishedJob(person, id);
    expect(result.error.code).toBe('expired');
    const shown = (await person.get(`/jobs/${id}/attempts`)).body;
    expect(shown).toHaveLength(attempts);
    expect(shown.every(({ outcome }: { outcome: string }) => outcome === 'failed')).toBe(true);
    expect(job.retries).toBe(attempts);
  });

  it('an attempt that fails after the expiry ends the job with its own error', async () => {
    attempts = 0;
    isHeld = true;
    const expiresAt = Date.now() + 5_000;
    const id = await submitJob(person, 'held', {}, { max_retries: 5, expires_at: new Date(expiresAt).toISOString() });
    await until('it to run', () => attempts === 1);
    await until('it to have expired', () => Date.now() > expiresAt + 1_200);
    expect((await detail(id)).status).toBe('processing');
    isHeld = false;
    const { result } = await finishedJob(person, id);
    expect(result.error).toEqual({ code: 'provider_rejected', message: 'too late' });
    expect(attempts).toBe(1);
    expectError(await person.post(`/jobs/${id}/retry`), 409, 'conflict');
  });

  it('an expired job is never claimed, also if no process has failed it yet', async () => {
    attempts = 0;
    const id = await submitJob(person, 'failing', {}, { run_at: inMs(3_600_000), expires_at: inMs(7_200_000) });
    await world.db.$executeRaw`
      UPDATE jobs SET run_at = now(), place = 'waiting', expires_at = now() WHERE id = ${id}`;
    expect((await finishedJob(person, id)).result.error.code).toBe('expired');
    expect(attempts).toBe(0);
  });
});
