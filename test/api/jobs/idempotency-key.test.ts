import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Answered, createWorld, type Person, register, type TestApi, type World } from '../../harness/index.js';
import { expectError } from '../support.js';

let world: World;
let api: TestApi;
let person: Person;
const job = { type: 'custom.type', payload: { a: 1, b: 2 } };
const DAY_MS = 86_400_000;

beforeAll(async () => {
  world = await createWorld();
  api = await world.api();
  person = await register(api.call);
});
afterAll(() => world.end());

const post = (path: string, key: string, body: unknown, who = person) =>
  who.post(path, body, { headers: { 'Idempotency-Key': key } });
const submit = (key: string, body: unknown = job, who = person) => post('/jobs', key, body, who);
const submitBatch = (key: string, jobs: unknown[]) => post('/jobs/batch', key, { jobs });
const isReplay = (answer: Answered) => answer.headers.get('idempotent-replayed');
const countJobs = (who = person) => world.db.job.count({ where: { orgId: who.orgId } });

describe('an Idempotency-Key', () => {
  it('sent again with the same content, in either spelling, is the same job with its current status', async () => {
    const first = await submit('again', { ...job, max_retries: 1 });
    await world.db.job.updateMany({ where: { id: first.body.id }, data: { status: 'processing' } });
    const before = await countJobs();

    expect([first.status, first.body.status, isReplay(first)]).toEqual([202, 'pending', null]);
    for (const body of [
      { max_retries: 1, payload: { b: 2, a: 1 }, type: 'custom.type' },
      { Type: 'custom.type', Payload: { a: 1, b: 2 }, MaxRetries: 1 },
    ]) {
      const again = await submit('again', body);
      expect([again.status, again.body]).toEqual([202, { id: first.body.id, status: 'processing' }]);
      expect(isReplay(again)).toBe('true');
    }
    expect(await countJobs()).toBe(before);
  });

  it('sent again with other content, or to another endpoint, is rejected with 422', async () => {
    const body = { ...job, id: 'reuse-1', run_at: new Date(Date.now() + 3_600_000).toISOString() };
    expect((await submit('reuse', body)).status).toBe(202);
    const before = await countJobs();

    for (const change of [{ type: 'b' }, { payload: {} }, { max_retries: 1 }, { priority: 1 }, { run_at: undefined }]) {
      expectError(await submit('reuse', { ...body, ...change }), 422, 'idempotency_key_reused');
    }
    expectError(await submit('reuse', { ...body, id: 'reuse-2' }), 422, 'idempotency_key_reused');
    expectError(await submit('reuse', { ...body, id: undefined }), 422, 'idempotency_key_reused');
    expectError(await submitBatch('reuse', [body]), 422, 'idempotency_key_reused');
    expect(await countJobs()).toBe(before);
  });

  it('sent 50 times at once creates one job, and one response is the first', async () => {
    const fresh = await register(api.call);

    const answers = await Promise.all(Array.from({ length: 50 }, () => submit('fifty', job, fresh)));

    expect(new Set(answers.map((answer) => `${answer.status} ${answer.body.id}`)).size).toBe(1);
    expect(answers[0]?.status).toBe(202);
    expect(answers.filter((answer) => isReplay(answer) === null)).toHaveLength(1);
    expect(await countJobs(fresh)).toBe(1);
  });

  it('sent at once with different contents creates one job; the other requests are rejected', async () => {
    const fresh = await register(api.call);

    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, n) => submit('differing', { ...job, priority: n % 2 }, fresh)),
    );

    const made = answers.filter(({ status }) => status === 202);
    expect(made).toHaveLength(10);
    expect(new Set(made.map(({ body }) => body.id)).size).toBe(1);
    for (const answer of answers) if (answer.status !== 202) expectError(answer, 422, 'idempotency_key_reused');
    expect(await countJobs(fresh)).toBe(1);
  });

  it('is not used up by a rejected request', async () => {
    await person.post('/jobs', { ...job, id: 'refused-1' });
    expectError(await submit('refused', { ...job, max_retries: -1 }), 400, 'validation_failed', ['max_retries']);
    expectError(await submit('refused', { type: 'b', payload: {}, id: 'refused-1' }), 409, 'conflict', ['id']);
    expectError(await submitBatch('refused', [job, { type: 'b', payload: {}, id: 'refused-1' }]), 409, 'conflict', [
      'jobs[1].id',
    ]);

    const answer = await submit('refused');

    expect([answer.status, isReplay(answer)]).toEqual([202, null]);
  });

  it('belongs to its organization', async () => {
    const stranger = await register(api.call);
    const mine = await submit('shared');

    const theirs = await submit('shared', { type: 'other', payload: {} }, stranger);

    expect([theirs.status, isReplay(theirs)]).toEqual([202, null]);
    expect(theirs.body.id).not.toBe(mine.body.id);
  });

  it('creates a batch once, and returns the current status of each of its jobs', async () => {
    const jobs = [job, { ...job, id: 'once-1' }, job];
    const first = await submitBatch('batch', jobs);
    await world.db.job.updateMany({ where: { id: 'once-1' }, data: { status: 'failed' } });
    const before = await countJobs();

    const again = await submitBatch('batch', jobs);

    expect([first.status, isReplay(first)]).toEqual([202, null]);
    const [a, , c] = first.body.jobs;
    expect([again.status, again.body]).toEqual([202, { jobs: [a, { id: 'once-1', status: 'failed' }, c] }]);
    expect(isReplay(again)).toBe('true');
    expect(await countJobs()).toBe(before);
    expectError(await submitBatch('batch', jobs.slice(1)), 422, 'idempotency_key_reused');
  });

  it('refers to the job that its id already had', async () => {
    await person.post('/jobs', { ...job, id: 'before-1' });

    const first = await submit('before', { ...job, id: 'before-1' });
    await world.db.job.updateMany({ where: { id: 'before-1' }, data: { status: 'done' } });
    const again = await submit('before', { ...job, id: 'before-1' });

    expect([first.status, first.body, isReplay(first)]).toEqual([202, { id: 'before-1', status: 'pending' }, 'true']);
    expect([again.status, again.body, isReplay(again)]).toEqual([202, { id: 'before-1', status: 'done' }, 'true']);
  });

  it('is kept for 24 h, and refers to its job even when that is deleted', async () => {
    const { body } = await submit('kept');
    const row = await world.db.idempotencyKey.findFirstOrThrow({ where: { key: 'kept' } });
    const { key } = await world.db.job.findFirstOrThrow({ where: { id: body.id } });
    expect(row.expiresAt.getTime() - row.createdAt.getTime()).toBe(DAY_MS);
    expect(row.jobKeys).toEqual([key]);
    await world.db.job.delete({ where: { key } });

    const again = await submit('kept');

    expect([again.status, again.body, isReplay(again)]).toEqual([202, body, 'true']);
  });

  it.each(['!', '~'.repeat(255), 'a"b\\c', '8e03978e-40d5-43dd-bc93-6894a57f9324'])('may be %j', async (key) => {
    expect((await submit(key)).status).toBe(202);
  });

  it.each(['', ' ', 'a b', 'x'.repeat(256), 'a\tb', 'caf\u00e9'])('may not be %j', async (key) => {
    const before = await countJobs();
    expectError(await submit(key), 400, 'validation_failed', ['Idempotency-Key']);
    expectError(await submitBatch(key, [{ type: '' }]), 400, 'validation_failed', [
      'Idempotency-Key',
      'jobs[0].type',
      'jobs[0].payload',
    ]);
    expect(await countJobs()).toBe(before);
  });

  it('may be sent only once per request', async () => {
    const headers = new Headers([
      ['authorization', `Bearer ${person.token}`],
      ['content-type', 'application/json'],
      ['idempotency-key', 'one'],
      ['idempotency-key', 'two'],
    ]);
    const answer = await fetch(`${api.url}/jobs`, { method: 'POST', headers, body: JSON.stringify(job) });
    expect(answer.status).toBe(400);
    await answer.body?.cancel();
  });
});
