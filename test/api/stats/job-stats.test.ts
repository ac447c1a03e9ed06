import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  createWorld,
  type Person,
  register,
  runToEnd,
  submitJob,
  type TestApi,
  type World,
} from '../../harness/index.js';
import { expectError, newKey } from '../support.js';

let world: World;
let api: TestApi;

beforeAll(async () => {
  world = await createWorld();
  api = await world.api();
});
afterAll(() => world.end());

interface Seed {
  status: string;
  type?: string;
  /** For how long it has had its status. */
  ageMs?: number;
  /** When it was accepted. */
  createdMsAgo?: number;
  count?: number;
}

/** Creates jobs of the past, by the database's clock. */
async function seed(person: Person, { status, type = 'a', ageMs = 0, createdMsAgo, count = 1 }: Seed): Promise<void> {
  const isOver = status === 'done' || status === 'failed';
  await world.db.$executeRaw`
    INSERT INTO jobs (key, org_id, id, type, queue, payload, status, run_at, created_at, updated_at, finished_at)
    SELECT gen_random_uuid(), ${person.orgId}::uuid, ${randomUUID()} || n, ${type}, 'io', '{}', ${status}::job_status,
      t.created, t.created, t.ended, CASE WHEN ${isOver} THEN t.ended END
    FROM generate_series(1, ${count}::int) AS n,
      (SELECT now() - ${ageMs}::float8 * interval '1 ms' AS ended,
         now() - ${createdMsAgo ?? ageMs}::float8 * interval '1 ms' AS created) AS t`;
  if (status === 'failed') {
    await world.db.$executeRaw`
      INSERT INTO failed_attempts (org_id, step_minutes, at, type, n)
      VALUES (${person.orgId}::uuid, 0, date_trunc('minute', now() - ${ageMs}::float8 * interval '1 ms'), ${type}, ${count}::int)`;
  }
}

interface Attempts {
  count: number;
  type?: string;
  minutesAgo?: number;
  /** How much longer than n seconds the n-th job waited. */
  startedMs?: number;
}

/** Creates jobs that are done: the n-th waited n seconds more than `startedMs`, and ran n ms. */
async function attempts(
  person: Person,
  { count, type = 'a', minutesAgo = 10, startedMs = 0 }: Attempts,
): Promise<void> {
  await world.db.$executeRaw`
    INSERT INTO jobs (key, org_id, id, type, queue, payload, status, run_at, created_at, updated_at, started_at, duration_ms, finished_at)
    SELECT gen_random_uuid(), ${person.orgId}::uuid, ${randomUUID()} || n, ${type}, 'io', '{}', 'done'::job_status,
      t.due, t.due - interval '1 hour', t.ended, t.due + n * interval '1 s' + ${startedMs}::float8 * interval '1 ms', n, t.ended
    FROM generate_series(1, ${count}::int) AS n, LATERAL (
      SELECT now() - ${minutesAgo}::float8 * interval '1 minute' AS ended, now() - interval '3 hours' AS due) AS t`;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const sum = (numbers: number[]) => numbers.reduce((total, n) => total + n, 0);

describe('GET /stats/jobs', () => {
  it('counts the jobs that wait and run now, and those that became done or failed in the window', async () => {
    const person = await register(api.call);
    await seed(person, { status: 'pending', count: 3, type: 'b', createdMsAgo: 40 * 24 * HOUR_MS });
    await seed(person, { status: 'processing', count: 2 });
    await seed(person, { status: 'done', count: 5, ageMs: 20 * HOUR_MS, createdMsAgo: 100 * HOUR_MS });
    await seed(person, { status: 'failed', count: 4, ageMs: 2 * HOUR_MS });
    await seed(person, { status: 'done', count: 7, ageMs: 30 * HOUR_MS });

    const { body } = await person.get('/stats/jobs');

    expect(body.by_status).toEqual({ pending: 3, processing: 2, done: 5, failed: 4 });
    expect(body.by_type).toEqual({ a: 11, b: 3 });
    expect(sum(body.series.map((step: { done: number }) => step.done))).toBe(5);
    expect(sum(body.series.map((step: { failed: number }) => step.failed))).toBe(4);
    const oldest = Date.now() - Date.parse(body.oldest_pending_at);
    expect(oldest / (40 * 24 * HOUR_MS)).toBeCloseTo(1, 2);
    expect((await person.get('/stats/jobs?window=7d')).body.by_status.done).toBe(12);
    expect((await person.get('/stats/jobs?window=1h')).body.by_status).toMatchObject({
      done: 0,
      failed: 0,
      pending: 3,
    });
  });

  it.each([
    ['1h', 60, 60_000],
    ['24h', 48, 30 * 60_000],
    ['7d', 56, 3 * HOUR_MS],
  ])(
    'has a series of %s without gaps, its steps aligned, the last one the current step',
    async (window, steps, stepMs) => {
      const person = await register(api.call);
      const at = (n: number) => ({ status: n % 2 ? 'done' : 'failed', ageMs: n * stepMs });
      for (const n of [0, 3, steps + 1]) await seed(person, at(n));
      const [clock] = await world.db.$queryRaw<{ now: Date }[]>`SELECT now()`;

      const { status, body } = await person.get(`/stats/jobs?window=${window}`);

      expect(status).toBe(200);
      const starts = body.series.map((step: { at: string }) => Date.parse(step.at));
      expect(starts).toHaveLength(steps);
      expect(starts.every((start: number, i: number) => start % stepMs === 0 && start === starts[0] + i * stepMs)).toBe(
        true,
      );
      // A step may have ended since the clock was read.
      expect([0, 1]).toContain(Math.floor((starts.at(-1) - (clock?.now.getTime() ?? 0)) / stepMs) + 1);
      const busy = body.series.flatMap((step: { done: number; failed: number }, i: number) =>
        step.done + step.failed > 0 ? [[steps - i, step.done, step.failed]] : [],
      );
      expect(busy.map(([, done, failed]: number[]) => [done, failed])).toEqual([
        [1, 0],
        [0, 1],
      ]);
      expect(busy[0][0] - busy[1][0]).toBe(3);
    },
  );

  it('has only zeros for an organization without jobs, whatever others have', async () => {
    const other = await register(api.call);
    await seed(other, { status: 'done', count: 3 });
    const person = await register(api.call);

    const { body } = await person.get('/stats/jobs');

    expect(body.by_status).toEqual({ pending: 0, processing: 0, done: 0, failed: 0 });
    expect(body.by_type).toEqual({});
    expect(body.oldest_pending_at).toBeNull();
    expect(body.series).toHaveLength(48);
  });

  it('names the 50 most frequent types, whatever characters they contain', async () => {
    const person = await register(api.call);
    await seed(person, { status: 'done', type: '__proto__', count: 3 });
    for (let n = 0; n < 60; n++) await seed(person, { status: 'done', type: `type.${n}`, count: n < 49 ? 2 : 1 });

    const { body, text } = await person.get('/stats/jobs');

    expect(text).toContain('"__proto__":3');
    expect(Object.keys(body.by_type)).toHaveLength(50);
    expect(body.by_type).toHaveProperty(['type.48'], 2);
    expect(body.by_type).not.toHaveProperty(['type.49']);
    expect(body.by_status.done).toBe(3 + 49 * 2 + 11);
  });

  it('has percentiles of how long jobs of the window waited and ran, of the latest 1,000 and of the visible types', async () => {
    const person = await register(api.call);
    const none = { waited: null, ran: null, oldest_due_at: null };
    expect((await person.get('/stats/jobs')).body).toMatchObject(none);
    // The n-th of 100 waited n seconds and ran n ms. Others are older than the window, never ran, or are of another organization.
    await attempts(person, { count: 100 });
    await attempts(person, { count: 50, type: 'b', minutesAgo: 90, startedMs: 1_000_000 });
    await attempts(await register(api.call), { count: 50, startedMs: 1_000_000 });
    await seed(person, { status: 'failed', type: 'x', count: 500 });

    const times = { waited: { p50_ms: 50_000, p95_ms: 95_000 }, ran: { p50_ms: 50, p95_ms: 95 } };
    expect((await person.get('/stats/jobs?window=1h')).body).toMatchObject(times);
    const ofTypes = async (types: string[], query = '') => {
      const { key } = await newKey(person, 'a', { scopes: ['stats:read'], types });
      return (await api.call('GET', `/stats/jobs${query}`, { key })).body;
    };
    expect(await ofTypes(['a', 'c'], '?window=1h')).toMatchObject(times);
    expect(await ofTypes(['c'])).toMatchObject(none);
    expect(await ofTypes(['b'], '?window=1h')).toMatchObject(none);
    expect((await ofTypes(['b'])).waited).toEqual({ p50_ms: 1_025_000, p95_ms: 1_048_000 });

    // They finished later than the others, which are then not among the 1,000.
    await attempts(person, { count: 1_000, type: 'd', minutesAgo: 0, startedMs: 60_000 });
    expect((await person.get('/stats/jobs?window=7d')).body.ran).toEqual({ p50_ms: 500, p95_ms: 950 });
  });

  it('says since when the job that waits longest could start', async () => {
    const person = await register(api.call);
    const dueAt = async (more = '') => (await person.get(`/stats/jobs${more}`)).body.oldest_due_at;
    const later = { run_at: new Date(Date.now() + HOUR_MS).toISOString() };
    const [first, second] = [await submitJob(person, 'a', {}), await submitJob(person, 'b', {}, later)];
    await world.db.$executeRaw`
      UPDATE live_jobs SET created_at = now() - interval '4 hours', run_at = now() - interval '1 minute' WHERE id = ${first}`;
    await world.db.$executeRaw`UPDATE live_jobs SET created_at = now() - interval '5 hours' WHERE id = ${second}`;

    expect((Date.now() - Date.parse(await dueAt())) / MINUTE_MS).toBeCloseTo(1, 0);
    await submitJob(person, 'c', {}, { after: [first] });
    await person.post(`/jobs/${first}/cancel`);
    expect(await dueAt('?window=1h')).toBeNull();
  });

  it('counts a job that a worker has just run', async () => {
    const person = await register(api.call);
    await world.worker();
    await runToEnd(person, 'no.such.type', {});

    const { body } = await person.get('/stats/jobs?window=1h');

    expect(body.by_status).toEqual({ pending: 0, processing: 0, done: 0, failed: 1 });
  });

  it('rejects an unknown window', async () => {
    const person = await register(api.call);

    expectError(await person.get('/stats/jobs?window=2h'), 400, 'validation_failed', ['window']);
    expectError(await person.get('/stats/jobs?since=1'), 400, 'validation_failed', ['since']);
  });
});
