import { createCatalogue, defineHandler } from '@jobline/handlers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  createWorld,
  finishedJob,
  type Person,
  register,
  runToEnd,
  submitJob,
  type World,
} from '../../harness/index.js';
import { expectError } from '../support.js';

let world: World;
let person: Person;

/** Writes a log line, and fails as often as its payload says. */
const failing = defineHandler<{ times: number }>({
  type: 'failing',
  async run({ times }, { attempt, log }) {
    log('info', 'attempt 1 succeeded in 3 ms');
    if (attempt <= times) throw new Error('broken; no attempt follows');
  },
});

beforeAll(async () => {
  world = await createWorld();
  person = await register((await world.api()).call);
  await world.worker({ catalogue: createCatalogue([failing]), retryBaseMs: 1 });
});
afterAll(() => world.end());

const isoTime = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
const broken = {
  code: 'handler_error',
  message: 'broken; no attempt follows',
  stack: expect.stringContaining('attempts.test.ts'),
};

describe('GET /jobs/{id}/attempts', () => {
  it('returns each attempt with its times, outcome and error, oldest first', async () => {
    const { attempts, job } = await runToEnd(person, 'failing', { times: 1 }, { max_retries: 1 });

    const times = { started_at: isoTime, finished_at: isoTime, duration_ms: expect.any(Number) };
    expect(attempts).toEqual([
      { attempt: 1, ...times, outcome: 'failed', error: broken },
      { attempt: 2, ...times, outcome: 'succeeded', error: null },
    ]);
    const { body: result } = await person.get(`/jobs/${job.id}/result`);
    expect(attempts[1]).toMatchObject({ started_at: result.started_at, duration_ms: result.duration_ms });
  });

  it('is paged by its cursor, each attempt once', async () => {
    const { job, attempts } = await runToEnd(person, 'failing', { times: 9 }, { max_retries: 4 });

    const seen: unknown[] = [];
    let path: string | undefined = `/jobs/${job.id}/attempts?limit=2`;
    for (const length of [2, 2, 1]) {
      const page = await person.get(path ?? '');
      expect(page.body).toHaveLength(length);
      seen.push(...page.body);
      path = /<([^>]+)>; rel="next"/.exec(page.headers.get('link') ?? '')?.[1];
    }
    expect(path).toBeUndefined();
    expect(seen).toEqual(attempts);
  });

  it('is empty for a job that was never started, canceled or not', async () => {
    const id = await submitJob(
      person,
      'failing',
      { times: 0 },
      { run_at: new Date(Date.now() + 3_600_000).toISOString() },
    );
    expect((await person.get(`/jobs/${id}/attempts`)).body).toEqual([]);
    await person.post(`/jobs/${id}/cancel`);

    expect((await finishedJob(person, id)).attempts).toEqual([]);
  });

  it('has the rejected attempt of a job without a handler', async () => {
    const { attempts } = await runToEnd(person, 'unknown', {});

    expect(attempts).toEqual([
      {
        attempt: 1,
        started_at: isoTime,
        finished_at: attempts[0]?.started_at,
        duration_ms: 0,
        outcome: 'failed',
        error: { code: 'no_handler', message: 'no handler is registered for type "unknown"' },
      },
    ]);
  });

  it('a page reads a bounded part of a long log, and its cursor leads on', async () => {
    const { job, attempts } = await runToEnd(person, 'failing', { times: 0 });
    const { key } = await world.db.job.findFirstOrThrow({ where: { orgId: person.orgId, id: job.id } });
    await world.db.$executeRaw`
      INSERT INTO job_logs (job_key, org_id, attempt, kind, level, message, at)
      SELECT ${key}::uuid, ${person.orgId}::uuid, 1, 'note', 'info', 'a payment was reported', now() FROM generate_series(1, 20000)`;
    await world.db.$executeRaw`
      INSERT INTO job_logs (job_key, org_id, attempt, kind, level, at, duration_ms) VALUES
        (${key}::uuid, ${person.orgId}::uuid, 2, 'started', 'info', now(), NULL),
        (${key}::uuid, ${person.orgId}::uuid, 2, 'succeeded', 'info', now(), 5)`;

    const first = await person.get(`/jobs/${job.id}/attempts`);
    expect(first.body).toEqual(attempts);
    const second = await person.get(`/jobs/${job.id}/attempts?cursor=${first.headers.get('x-next-cursor')}`);
    expect(second.body).toMatchObject([{ attempt: 2, outcome: 'succeeded', duration_ms: 5 }]);
    expect(second.headers.get('x-next-cursor')).toBeNull();
  });

  it('is a 400 for an invalid cursor or limit', async () => {
    const id = await submitJob(person, 'failing', { times: 0 });

    expectError(await person.get(`/jobs/${id}/attempts?cursor=x`), 400, 'validation_failed', ['cursor']);
    expectError(await person.get(`/jobs/${id}/attempts?limit=0`), 400, 'validation_failed', ['limit']);
  });
});

describe('GET /jobs/{id}/logs?detail=full', () => {
  it('returns each entry with its kind and data, whatever a handler writes', async () => {
    const { entries, logs } = await runToEnd(person, 'failing', { times: 1 }, { max_retries: 1 });

    const none = { duration_ms: null, next_attempt_at: null, error_code: null };
    const duration_ms = expect.any(Number);
    expect(entries.map(({ message, level, timestamp, ...data }) => data)).toEqual([
      { attempt: 1, kind: 'started', ...none },
      { attempt: 1, kind: 'log', ...none },
      { attempt: 1, kind: 'failed', duration_ms, next_attempt_at: isoTime, error_code: 'handler_error' },
      { attempt: 2, kind: 'started', ...none },
      { attempt: 2, kind: 'log', ...none },
      { attempt: 2, kind: 'succeeded', ...none, duration_ms },
    ]);
    expect(logs).toEqual(
      entries.map(({ attempt, message, level, timestamp }) => ({ attempt, message, level, timestamp })),
    );
  });

  it('rejects any other detail', async () => {
    const id = await submitJob(person, 'failing', { times: 0 });

    expectError(await person.get(`/jobs/${id}/logs?detail=some`), 400, 'validation_failed', ['detail']);
  });
});
