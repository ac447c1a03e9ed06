import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createWorld, type Person, register, submitJob, type TestApi, type World } from '../../harness/index.js';
import { expectError, newKey } from '../support.js';

let world: World;
let api: TestApi;
let person: Person;

beforeAll(async () => {
  world = await createWorld();
  api = await world.api();
  person = await register(api.call);
});
afterAll(() => world.end());

const isoTime = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
const keyOf = async (id: string) => (await world.db.job.findFirstOrThrow({ where: { orgId: person.orgId, id } })).key;

async function seedLogs(id: string, count: number): Promise<void> {
  const jobKey = await keyOf(id);
  const at = new Date('2026-06-01T00:00:00.007Z');
  for (let n = 1; n <= count; n++) {
    await world.db.jobLog.create({
      data: { jobKey, orgId: person.orgId, attempt: 1, level: n === 2 ? 'warn' : 'info', message: `line ${n}`, at },
    });
  }
}

describe('GET /jobs/{id}', () => {
  it('returns exactly the summary and the payload', async () => {
    const runAt = new Date(Date.now() + 3_600_000).toISOString();
    const id = await submitJob(person, 'a', { a: [1, { b: null }] }, { max_retries: 2, run_at: runAt });
    expect((await person.get(`/jobs/${id}`)).body).toEqual({
      id,
      type: 'a',
      status: 'pending',
      retries: 0,
      max_retries: 2,
      created_at: isoTime,
      updated_at: isoTime,
      payload: { a: [1, { b: null }] },
      waiting_for: 'run_at',
    });
  });

  it('finds an id in every encoding of the path', async () => {
    await submitJob(person, 'a', {}, { id: 'Order:7.x_-' });
    expect((await person.get('/jobs/Order%3A7%2Ex_-')).body.id).toBe('Order:7.x_-');
  });
});

describe('GET /jobs/{id}/result', () => {
  it('has only the status and the due time of a job that has not run', async () => {
    const run_at = new Date(Date.now() + 3_600_000).toISOString();
    const id = await submitJob(person, 'a', {}, { run_at });
    expect((await person.get(`/jobs/${id}/result`)).body).toEqual({
      status: 'pending',
      result: null,
      error: null,
      run_at,
      started_at: null,
      finished_at: null,
      duration_ms: null,
    });
  });

  it('has what the handler of a done job returned, and the error of a failed one', async () => {
    const at = new Date('2026-06-01T00:00:00Z');
    const times = { startedAt: at, finishedAt: new Date(at.getTime() + 1_500), durationMs: 1_500 };
    const done = await submitJob(person, 'a', {});
    const failed = await submitJob(person, 'a', {});
    await world.db.job.update({
      where: { key: await keyOf(done) },
      data: { ...times, status: 'done', result: { status: 200 } },
    });
    await world.db.job.update({
      where: { key: await keyOf(failed) },
      data: { ...times, status: 'failed', errorCode: 'handler_error', errorMessage: 'it broke' },
    });

    expect((await person.get(`/jobs/${done}/result`)).body).toEqual({
      status: 'done',
      result: { status: 200 },
      error: null,
      run_at: isoTime,
      started_at: '2026-06-01T00:00:00.000Z',
      finished_at: '2026-06-01T00:00:01.500Z',
      duration_ms: 1_500,
    });
    expect((await person.get(`/jobs/${failed}/result`)).body).toMatchObject({
      status: 'failed',
      result: null,
      error: { code: 'handler_error', message: 'it broke' },
    });
  });
});

describe('GET /jobs/{id}/logs', () => {
  it('is a bare array of exactly attempt, message, level and timestamp, in the order written', async () => {
    const id = await submitJob(person, 'a', {});
    await seedLogs(id, 2);
    expect((await person.get(`/jobs/${id}/logs`)).body).toEqual([
      { attempt: 1, message: 'line 1', level: 'info', timestamp: '2026-06-01T00:00:00.007Z' },
      { attempt: 1, message: 'line 2', level: 'warn', timestamp: '2026-06-01T00:00:00.007Z' },
    ]);
  });

  it('is read page by page, and on from its end as it grows', async () => {
    const id = await submitJob(person, 'a', {});
    const empty = await person.get(`/jobs/${id}/logs`);
    expect(empty.body).toEqual([]);
    await seedLogs(id, 5);

    const seen: string[] = [];
    let after = empty.headers.get('x-next-cursor');
    for (const expected of [2, 2, 1, 0]) {
      const page = await person.get(`/jobs/${id}/logs?limit=2&after=${after}`);
      expect(page.body).toHaveLength(expected);
      expect(page.headers.get('link')).toBeNull();
      seen.push(...page.body.map(({ message }: { message: string }) => message));
      after = page.headers.get('x-next-cursor');
    }
    expect(seen).toEqual([1, 2, 3, 4, 5].map((n) => `line ${n}`));

    await seedLogs(id, 1);
    expect((await person.get(`/jobs/${id}/logs?after=${after}`)).body).toHaveLength(1);
  });

  it('has pages of any length, each with all entries that fit', async () => {
    const id = await submitJob(person, 'a', {});
    await seedLogs(id, 320);
    const messages = ({ body }: { body: { message: string }[] }) => body.map(({ message }) => message);
    const lines = Array.from({ length: 320 }, (_, n) => `line ${n + 1}`);

    for (const limit of [99, 100, 101, 200, 250, 320, 1_000]) {
      const page = await person.get(`/jobs/${id}/logs?limit=${limit}`);
      expect(messages(page)).toEqual(lines.slice(0, limit));
      const next = await person.get(`/jobs/${id}/logs?limit=1000&after=${page.headers.get('x-next-cursor')}`);
      expect(messages(next)).toEqual(lines.slice(limit));
    }
  });

  it.each([
    'limit=0',
    'limit=1001',
    'limit=x',
    'after=',
    'after=x',
    'after=MQ==',
    ...['-1', '1.5', '', '9223372036854775808', '99999999999999999999', '1 ', '0x1'].map(
      (text) => `after=${Buffer.from(text).toString('base64url')}`,
    ),
  ])('rejects %s', async (query) => {
    const id = await submitJob(person, 'a', {});
    expectError(await person.get(`/jobs/${id}/logs?${query}`), 400, 'validation_failed', [query.split('=')[0] ?? '']);
  });
});

describe('a job that is unknown, malformed or of another organization', () => {
  it('gets the same 404 in each case', async () => {
    const stranger = await register(api.call);
    const foreign = await submitJob(stranger, 'a', {}, { id: 'theirs' });
    const { key } = await newKey(person);
    const ids = [
      foreign,
      'no-such-job',
      'a%20b',
      '%00',
      'x'.repeat(129),
      encodeURIComponent("' OR 1=1; --"),
      '%F0%9F%92%A9',
      '..%2F..%2Fetc',
      '%ED%A0%80',
      'a%2Fb',
    ];
    for (const id of ids) {
      for (const path of ['', '/logs', '/result']) {
        for (const who of [{ token: person.token }, { key }]) {
          const answer = await api.call('GET', `/jobs/${id}${path}`, who);
          expectError(answer, 404, 'not_found');
          expect(answer.body.error.message).toBe('Not found.');
        }
      }
    }
  });
});
