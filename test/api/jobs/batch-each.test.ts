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
import { expectError } from '../support.js';

let world: World;
let api: TestApi;
let person: Person;
const inMs = (ms: number) => new Date(Date.now() + ms).toISOString();
interface Job {
  id?: string;
  [field: string]: unknown;
}
const job = (more: object = {}): Job => ({
  type: 'custom.type',
  payload: {},
  run_at: inMs(3_600_000),
  ...more,
});
const PENDING = { id: expect.stringMatching(/^[0-9a-f-]{36}$/), status: 'pending' };

beforeAll(async () => {
  world = await createWorld();
  api = await world.api();
});
beforeEach(async () => {
  person = await register(api.call);
});
afterAll(() => world.end());

const each = (jobs: unknown, headers = {}): Promise<Answered> =>
  person.post('/jobs/batch?mode=each', { jobs }, { headers });
const countJobs = () => world.db.job.count({ where: { orgId: person.orgId } });
const isReplay = (answer: Answered) => answer.headers.get('idempotent-replayed');

async function answersOf(jobs: unknown, headers = {}): Promise<Answered['body']> {
  const answer = await each(jobs, headers);
  expect(answer.status, answer.text).toBe(200);
  expect(Object.keys(answer.body)).toEqual(['jobs']);
  return answer.body.jobs;
}

/** The error of a rejected job: its code, and the paths of its details. */
function expectRejected(answer: Answered['body'], code: string, paths: string[]): void {
  expect(Object.keys(answer)).toEqual(['error']);
  expect(answer.error).toEqual({ code, message: expect.stringMatching(/^.{5,300}$/), details: expect.any(Array) });
  expect(answer.error.details.map(({ path }: { path: string }) => path)).toEqual(paths);
}

/**
 * Stores a batch with a job that expires, and waits until it has expired. A slow machine may take longer for the request
 * than the job has: then it tries again with more time.
 */
async function expiredJobs(id: string, batch: (late: Job) => Job[], headers = {}) {
  for (let ms = 500; ; ms *= 2) {
    const expires_at = inMs(ms);
    const jobs = batch(job({ id: `${id}-${ms}`, run_at: undefined, expires_at }));
    const [first] = await answersOf(jobs, headers);
    await until('the expiry', () => Date.now() > Date.parse(expires_at));
    if (!('error' in first)) return jobs;
    await world.db.job.deleteMany({ where: { orgId: person.orgId } });
    await world.db.idempotencyKey.deleteMany({ where: { orgId: person.orgId } });
  }
}

describe('POST /jobs/batch?mode=each', () => {
  it('stores the valid jobs, and says of each other one why it is rejected, in order', async () => {
    await submitJob(person, 'custom.type', { of: 'old' }, { id: 'taken', run_at: inMs(3_600_000) });
    const mail = { to: 'a@example.com', subject: 's', body: 'b' };
    const answers = await answersOf([
      job(),
      { type: 'custom.type' },
      job({ id: 'mine', tags: ['t'] }),
      job({ type: 'webhook', payload: { url: 'ftp://example.com/', payload: 5 } }),
      job({ id: 'taken', payload: { of: 'new' } }),
      job({ type: 'send_email', payload: { ...mail, from: 'me@unverified.example' } }),
      job({ type: 'send_email', payload: { to: 'a@example.com', template: 'missing' } }),
      { Type: 'custom.type', Payload: { of: 'other spelling' }, MaxRetries: 2 },
      { Type: 'webhook', Payload: { payload: {} } },
      job({ expires_at: inMs(-1_000), run_at: undefined }),
      job({ more: 1, priority: 10 }),
      ...[5, null, [], 'x'],
      job({ ID: 'mixed' }),
      job({ limit: 'unknown' }),
    ]);

    expect(answers).toHaveLength(17);
    for (const n of [0, 7]) expect(answers[n]).toEqual(PENDING);
    expect(answers[2]).toEqual({ id: 'mine', status: 'pending' });
    expectRejected(answers[1], 'validation_failed', ['payload']);
    expectRejected(answers[3], 'validation_failed', ['payload.url', 'payload.payload']);
    expectRejected(answers[4], 'conflict', ['id']);
    expectRejected(answers[5], 'sender_domain_not_verified', ['payload.from']);
    expectRejected(answers[6], 'validation_failed', ['payload.template']);
    expectRejected(answers[8], 'validation_failed', ['Payload.url']);
    expectRejected(answers[9], 'validation_failed', ['expires_at']);
    expectRejected(answers[10], 'validation_failed', ['priority', 'more']);
    for (const n of [11, 12, 13, 14, 15]) expectRejected(answers[n], 'validation_failed', ['']);
    expectRejected(answers[16], 'validation_failed', ['limit']);

    const stored = (await person.get('/jobs')).body.map(({ id }: { id: string }) => id);
    expect(stored.sort()).toEqual(['taken', 'mine', answers[0].id, answers[7].id].sort());
    expect((await person.get('/jobs/mine')).body.tags).toEqual(['t']);
    expect((await person.get('/jobs/taken')).body.payload).toEqual({ of: 'old' });
    expect((await person.get(`/jobs/${answers[7].id}`)).body).toMatchObject({ max_retries: 2 });
  });

  it('is a 200 if all jobs are valid, and if none is', async () => {
    expect(await answersOf([job(), job()])).toEqual([PENDING, PENDING]);
    const none = await answersOf([{}, job({ type: '' })]);
    expect(none.every((one: object) => 'error' in one)).toBe(true);
    expect(await countJobs()).toBe(2);
  });

  it('rejects a job whose id an earlier one of the batch has', async () => {
    const answers = await answersOf([job({ id: 'a' }), job({ id: 'a' }), { Type: 'x', Payload: {}, ID: 'a' }, job()]);
    expect(answers[0]).toEqual({ id: 'a', status: 'pending' });
    expectRejected(answers[1], 'validation_failed', ['id']);
    expectRejected(answers[2], 'validation_failed', ['ID']);
    expect(answers[3]).toEqual(PENDING);
    expect(await countJobs()).toBe(2);
  });

  it('answers jobs that exist with the same content with their status, also after their expiry', async () => {
    const same = job({ id: 'same' });
    await answersOf([same]);
    await person.post('/jobs/same/cancel');
    expect(isReplay(await each([same]))).toBe('true');
    const [late] = await expiredJobs('late', (one) => [one]);

    const answer = await each([same, { ...same, id: 'other' }, late, { ...late, id: 'too-late' }]);
    const [first, second, third, fourth] = answer.body.jobs;
    expect([first.status, second.status, third.id]).toEqual(['failed', 'pending', late?.id]);
    expectRejected(fourth, 'validation_failed', ['expires_at']);
    expect(isReplay(answer)).toBeNull();
    expect(await countJobs()).toBe(3);
  });

  it('takes 1,000 jobs, each with many issues, and limits the details', async () => {
    const many = Object.fromEntries(Array.from({ length: 90 }, (_, n) => [`f${n}`, 1]));
    const answers = await answersOf(Array.from({ length: 1_000 }, (_, n) => (n === 500 ? job() : { ...many })));
    expect(answers[500]).toEqual(PENDING);
    const details = answers.map((one: Answered['body']) => one.error?.details.length ?? 0);
    expect(details.filter((count: number) => count === 0)).toHaveLength(1);
    expect(details.reduce((sum: number, count: number) => sum + count, 0)).toBe(2_999);
  });
});

it('details of 1,000 jobs with long paths have a limited size, in each mode', async () => {
  const name = 'n'.repeat(120);
  const numbers = Array(100).fill('1e999').join();
  const deep = `${`{"${name}":`.repeat(6)}[${numbers}]${'}'.repeat(6)}`;
  const jobs = Array(600).fill(`{"type":"custom.type","payload":${deep}}`).join();
  for (const [mode, maxBytes] of [
    ['all', 300 * 1_024],
    ['each', 900 * 1_024],
  ] as const) {
    const answer = await api.call('POST', `/jobs/batch?mode=${mode}`, {
      token: person.token,
      raw: `{"jobs":[${jobs}]}`,
    });
    expect(answer.text.length).toBeLessThan(maxBytes);
    expect(answer.text).toMatch(/\d+ more issues are not listed/);
    expect(answer.text).toContain('payload.nnn');
  }
});

describe('an Idempotency-Key', () => {
  const headers = { 'idempotency-key': 'each' };

  it('gets the first answer again, with the current statuses and the errors', async () => {
    await submitJob(person, 'custom.type', { of: 'old' }, { id: 'taken', run_at: inMs(3_600_000) });
    const jobs = [job({ id: 'a' }), { type: 'x' }, job({ id: 'taken', payload: { of: 'new' } }), job(), 5];
    const first = await answersOf(jobs, headers);
    await person.post('/jobs/a/cancel');
    const again = await each(jobs, headers);

    expect(again.status).toBe(200);
    expect(isReplay(again)).toBe('true');
    expect(again.body.jobs).toEqual([{ id: 'a', status: 'failed' }, ...first.slice(1)]);
    expect(await countJobs()).toBe(3);
  });

  it('gets the first answer again after its content has become invalid', async () => {
    const template = { name: 'hello', kind: 'sms', body: 'hi' };
    const { id } = (await person.post('/org/templates', template)).body;
    const sms = job({ type: 'send_sms', payload: { to: '+254700000001', template: 'hello' } });
    const jobs = await expiredJobs('late', (late) => [late, sms], headers);
    await api.call('DELETE', `/org/templates/${id}`, { token: person.token });

    const again = await each(jobs, headers);
    expect(isReplay(again)).toBe('true');
    expect(again.body.jobs).toEqual([{ id: jobs[0]?.id, status: expect.any(String) }, PENDING]);
    expect(await countJobs()).toBe(2);
  });

  it('does not care about the spelling or the order of keys, and is rejected with other content', async () => {
    const first = await each([{ type: 'x', payload: { a: 1, b: 2 }, id: 'a' }, { type: 5 }], headers);
    const spelled = await each([{ ID: 'a', Payload: { b: 2, a: 1 }, Type: 'x' }, { type: 5 }], headers);
    expect(spelled.body).toEqual(first.body);
    expect(isReplay(spelled)).toBe('true');
    const others = [
      [{ type: 'x', payload: { a: 1, b: 3 }, id: 'a' }, { type: 5 }],
      [{ type: 'x', payload: { a: 1, b: 2 }, id: 'a' }, { type: 6 }],
      [{ type: 'x', payload: { a: 1, b: 2 }, id: 'a' }],
    ];
    for (const jobs of others) expectError(await each(jobs, headers), 422, 'idempotency_key_reused');
    for (const mode of ['', '?mode=all']) {
      const body = { jobs: [{ type: 'x', payload: { a: 1, b: 2 }, id: 'a' }] };
      expectError(await person.post(`/jobs/batch${mode}`, body, { headers }), 422, 'idempotency_key_reused');
    }
  });

  it('is not used by a batch of which no job is stored', async () => {
    await submitJob(person, 'custom.type', {}, { id: 'taken', run_at: inMs(3_600_000) });
    const rejected = [{}, job({ id: 'taken', payload: { v: 2 } })];
    for (const jobs of [rejected, rejected.slice(0, 1), rejected.slice(1)]) {
      const answer = await each(jobs, headers);
      expect(answer.body.jobs.every((one: object) => 'error' in one)).toBe(true);
      expect(isReplay(answer)).toBeNull();
    }
    expect(await answersOf([job()], headers)).toEqual([PENDING]);
  });

  it('makes one set of jobs of 20 simultaneous requests', async () => {
    const jobs = [job(), { type: 'x' }, job({ id: 'mine' })];
    const answers = await Promise.all(Array.from({ length: 20 }, () => each(jobs, headers)));
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(answers.filter((answer) => isReplay(answer) === 'true')).toHaveLength(19);
    expect(await countJobs()).toBe(2);
  });

  it('compares jobs that are nested too deeply without a failure', async () => {
    const raw = `{"jobs":[${JSON.stringify(job())},{"type":"x","payload":${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}}]}`;
    const options = { token: person.token, raw, headers };
    const first = await api.call('POST', '/jobs/batch?mode=each', options);
    expect(first.status, first.text).toBe(200);
    expect(first.body.jobs[0]).toEqual(PENDING);
    expect((await api.call('POST', '/jobs/batch?mode=each', options)).body).toEqual(first.body);
  });
});

describe('the mode of a batch', () => {
  it('mode=all is the same as no mode: all jobs are stored or none', async () => {
    const all = await person.post('/jobs/batch?mode=all', { jobs: [job(), job()] });
    expect([all.status, all.body]).toEqual([202, { jobs: [PENDING, PENDING] }]);
    const [headers, jobs] = [{ 'idempotency-key': 'all' }, [job()]];
    const first = await person.post('/jobs/batch', { jobs }, { headers });
    const again = await person.post('/jobs/batch?mode=all', { jobs }, { headers });
    expect([again.body, isReplay(again)]).toEqual([first.body, 'true']);
    const bad = await person.post('/jobs/batch?mode=all', { jobs: [job(), {}] });
    expectError(bad, 400, 'validation_failed', ['jobs[1].type', 'jobs[1].payload']);
    expect(await countJobs()).toBe(3);
  });

  it.each(['mode=some', 'mode=', 'mode=EACH', 'mode=each&mode=all', 'mode=each&mode=each'])(
    '%s is rejected by name, whatever the body is',
    async (query) => {
      expectError(await person.post(`/jobs/batch?${query}`, { jobs: [job()] }), 400, 'validation_failed', ['mode']);
      const bad = await person.post(`/jobs/batch?${query}`, { jobs: [{ type: 'x' }] });
      expectError(bad, 400, 'validation_failed');
      expect(bad.body.error.details[0].path).toBe('mode');
      expect(await countJobs()).toBe(0);
    },
  );

  it('mode=each does not help a body that is no batch', async () => {
    const tooMany = Array.from({ length: 1_001 }, () => job());
    for (const body of [{}, { jobs: [] }, { jobs: 'x' }, { jobs: [job()], more: 1 }, { jobs: tooMany }, [], 'x']) {
      expectError(await person.post('/jobs/batch?mode=each', body), 400, 'validation_failed');
    }
    const unknown = await person.post('/jobs/batch?mode=each&what=1', { jobs: [job()] });
    expectError(unknown, 400, 'validation_failed', ['what']);
    expect(await countJobs()).toBe(0);
  });

  it('mode=each does not help above a rate limit, or with a body that is too large', async () => {
    const slow = await world.api({ limits: { submitPerS: 2 }, settings: { maxBodyBytes: 2_000 } });
    const submit = (jobs: unknown) =>
      slow.call('POST', '/jobs/batch?mode=each', { token: person.token, body: { jobs } });
    expectError(await submit([job({ payload: { text: 'x'.repeat(2_000) } })]), 413, 'payload_too_large');
    await submit(Array.from({ length: 10 }, () => job()));
    expectError(await submit([job()]), 429, 'rate_limited');
  });
});

it('the jobs that a batch with mode=each stores run', async () => {
  await world.worker();
  const answers = await answersOf([job({ run_at: undefined }), {}, job({ run_at: undefined })]);
  for (const { id } of [answers[0], answers[2]]) expect((await finishedJob(person, id)).job.status).toBe('failed');
});
