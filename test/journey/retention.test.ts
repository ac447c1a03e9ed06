import { randomUUID } from 'node:crypto';
import type { JobKey } from '@jobline/contracts';
import { deleteExpiredIdempotencyKeys, deleteExpiredJobs, retryFailed } from '@jobline/db/job-transitions';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  createWorld,
  HANG_MS,
  type Person,
  register,
  runToEnd,
  submitJob,
  until,
  type World,
} from '../harness/index.js';

const DAYS = 3;

let world: World;
let person: Person;

beforeEach(async () => {
  world = await createWorld();
  person = await register((await world.api()).call);
});
afterEach(() => world.end());

interface Past {
  id: string;
  status?: 'pending' | 'processing' | 'done' | 'failed';
  submittedDaysAgo: number;
  finishedDaysAgo?: number;
  count?: number;
  lines?: number;
  artifacts?: number;
}

/** Old jobs with all of their rows: submitted and finished long ago, also by their keys. */
async function past({ id, status = 'done', submittedDaysAgo, finishedDaysAgo, ...more }: Past): Promise<JobKey[]> {
  const { count = 1, lines = 3, artifacts = 1 } = more;
  const rows = await world.db.$queryRaw<{ key: JobKey }[]>`
    WITH j AS (
      INSERT INTO jobs (key, org_id, id, type, queue, payload, status, run_at, created_at, updated_at, finished_at, place)
      SELECT (lpad(to_hex((extract(epoch FROM t.at) * 1000)::bigint + n), 12, '0') || '7' || substr(md5(random()::text), 1, 3)
          || '8' || substr(md5(random()::text), 1, 15))::uuid,
        ${person.orgId}::uuid, CASE ${count}::int WHEN 1 THEN ${id} ELSE ${id} || n END, 'old', 'io', '{}',
        ${status}::job_status, now() + interval '1 year', t.at, t.at,
        now() - ${finishedDaysAgo ?? null}::float8 * interval '1 day', 'scheduled'
      FROM generate_series(1, ${count}::int) AS n, (SELECT now() - ${submittedDaysAgo}::float8 * interval '1 day' AS at) t
      RETURNING key, org_id),
    l AS (
      INSERT INTO job_logs (job_key, org_id, attempt, level, message, at)
      SELECT key, org_id, 1, 'info', 'line', now() FROM j, generate_series(1, ${lines}::int)),
    a AS (
      INSERT INTO artifacts (job_key, name, content_type, size, sha256, bytes)
      SELECT key, 'file-' || n, 'text/plain', 1, '\\x00', '\\x00' FROM j, generate_series(1, ${artifacts}::int) AS n),
    p AS (
      INSERT INTO payments (id, org_id, job_key, provider, phone, amount, ref, status, updated_at)
      SELECT gen_random_uuid(), org_id, key, 'mpesa', '254708374149', 1, 'old', 'paid', now() FROM j)
    SELECT key FROM j`;
  return rows.map(({ key }) => key);
}

const ids = async () => (await person.get('/jobs?limit=1000')).body.map((job: { id: string }) => job.id).sort();

/** The number of rows in the tables that belong to jobs. */
async function rows(): Promise<{ jobs: number; lines: number; artifacts: number; payments: number }> {
  const [jobs, lines, artifacts, payments] = await Promise.all([
    world.db.job.count(),
    world.db.jobLog.count(),
    world.db.artifact.count(),
    world.db.payment.count(),
  ]);
  return { jobs, lines, artifacts, payments };
}

/** Resolves when the logs and files of deleted jobs are deleted too. */
const nothingLeft = () => until('nothing to be left', async () => (await world.db.deletedJob.count()) === 0);

/** Resolves when a statement waits for a row that another transaction has locked. */
async function untilWaiting(part: string): Promise<void> {
  await until('a statement to wait', async () => {
    const waiting = await world.db.$queryRaw<unknown[]>`
      SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE ${`%${part}%`}`;
    return waiting.length > 0;
  });
}

describe('retention of finished jobs', () => {
  it('a finished job is deleted with its log, artifacts and payment once it is older than jobs are kept', async () => {
    await past({ id: 'old-done', submittedDaysAgo: 10, finishedDaysAgo: 3.1 });
    await past({ id: 'old-failed', status: 'failed', submittedDaysAgo: 10, finishedDaysAgo: 9 });
    await past({ id: 'kept', submittedDaysAgo: 10, finishedDaysAgo: 2.9 });
    await past({ id: 'new', submittedDaysAgo: 1, finishedDaysAgo: 1 });

    await world.worker({ retentionDays: DAYS });
    await until('the old jobs to go', async () => (await rows()).jobs === 2);
    await nothingLeft();

    expect(await ids()).toEqual(['kept', 'new']);
    expect(await rows()).toEqual({ jobs: 2, lines: 6, artifacts: 2, payments: 2 });
    expect((await person.get('/jobs/old-done')).status).toBe(404);
    expect((await person.get('/jobs/old-done/logs')).status).toBe(404);
    expect((await person.get('/jobs/old-done/artifacts/file-1')).status).toBe(404);
    expect((await person.get('/jobs/kept/logs')).body).toHaveLength(3);
  });

  it('a deleted job leaves nothing on the list of remaining deletions', async () => {
    await past({ id: 'many', submittedDaysAgo: 10, finishedDaysAgo: 9, count: 1_100, lines: 6, artifacts: 0 });

    await world.worker({ retentionDays: DAYS });
    await until('the old jobs to go', async () => (await rows()).jobs === 0);
    await nothingLeft();

    expect(await rows()).toEqual({ jobs: 0, lines: 0, artifacts: 0, payments: 0 });
  });

  it('the last statuses of deleted jobs are kept for longer than their idempotency keys', async () => {
    const keys = [randomUUID(), randomUUID()];
    await world.db.$executeRaw`
      INSERT INTO deleted_statuses (key, status, deleted_at)
      SELECT key, 'done', now() - days * interval '1 day'
      FROM unnest(${keys}::uuid[], ${[DAYS + 2.1, DAYS + 1.9]}::float8[]) AS d(key, days)`;

    await world.worker({ retentionDays: DAYS });
    await until('the old status to go', async () => (await world.db.deletedStatus.count()) === 1);

    expect(await world.db.deletedStatus.findMany({ select: { key: true } })).toEqual([{ key: keys[1] }]);
  });

  it('a job that is retried while retention deletes it stays complete', async () => {
    const [key] = await past({ id: 'again', status: 'failed', submittedDaysAgo: 10, finishedDaysAgo: 9 });
    if (!key) throw new Error('no job');

    const deleting = await world.db.$transaction(async (tx) => {
      expect(await retryFailed(tx, key, false, 'retried')).not.toBeNull();
      const deleted = deleteExpiredJobs(world.db, [key], DAYS);
      await untilWaiting('gone AS');
      return { deleted };
    });

    expect(await deleting.deleted).toBe(0);
    expect(await rows()).toEqual({ jobs: 1, lines: 4, artifacts: 1, payments: 1 });
    expect(await world.db.deletedJob.count()).toBe(0);
  });

  it('a retry of a job that is being deleted is a 404', async () => {
    const [key] = await past({ id: 'again', status: 'failed', submittedDaysAgo: 10, finishedDaysAgo: 9 });
    if (!key) throw new Error('no job');

    const retrying = await world.db.$transaction(async (tx) => {
      expect(await deleteExpiredJobs(tx, [key], DAYS)).toBe(1);
      const answer = person.post('/jobs/again/retry');
      await untilWaiting('FROM finished_jobs WHERE key');
      return { answer };
    });

    expect((await retrying.answer).status).toBe(404);
  });

  it('the id of a deleted job can be used again', async () => {
    await past({ id: 'order-1', submittedDaysAgo: 10, finishedDaysAgo: 9 });
    expect((await person.post('/jobs', { id: 'order-1', type: 'other', payload: {} })).status).toBe(409);

    await world.worker({ retentionDays: DAYS });
    await until('the old job to go', async () => (await rows()).jobs === 0);

    const { job } = await runToEnd(person, 'other', {}, { id: 'order-1' });
    expect(job).toMatchObject({ id: 'order-1', type: 'other' });
  });

  it('retention completes however much is to be deleted', async () => {
    await past({ id: 'many', submittedDaysAgo: 20, finishedDaysAgo: 19, count: 2_500, artifacts: 0 });
    await past({ id: 'long-log', submittedDaysAgo: 10, finishedDaysAgo: 9, lines: 12_000 });
    await past({ id: 'many-files', submittedDaysAgo: 10, finishedDaysAgo: 9, artifacts: 25 });
    await past({ id: 'waits', status: 'pending', submittedDaysAgo: 15, count: 1_200, lines: 0, artifacts: 0 });

    await world.worker({ retentionDays: DAYS });
    await until('the old jobs to go', async () => (await rows()).jobs === 1_200);
    await nothingLeft();

    expect(await rows()).toEqual({ jobs: 1_200, lines: 0, artifacts: 0, payments: 1_200 });
  });

  it('a finished job stays while another worker holds the task', async () => {
    await past({ id: 'old', submittedDaysAgo: 10, finishedDaysAgo: 9 });
    const lease = { name: 'retention', holder: randomUUID(), expiresAt: new Date(Date.now() + 3_600_000) };
    await world.db.lease.create({ data: lease });

    await world.worker({ retentionDays: DAYS });
    await runToEnd(person, 'other', {}, { id: 'another' });

    expect(await ids()).toEqual(['another', 'old']);
    expect(await world.db.lease.findUnique({ where: { name: 'retention' } })).toEqual(lease);
  });
});

it('an unfinished job is never deleted', async () => {
  const keys = [
    ...(await past({ id: 'waits', status: 'pending', submittedDaysAgo: 400 })),
    ...(await past({ id: 'runs', status: 'processing', submittedDaysAgo: 400 })),
    // Retried after it had failed; its first end does not count.
    ...(await past({ id: 'again', status: 'pending', submittedDaysAgo: 400, finishedDaysAgo: 399 })),
  ];
  await past({ id: 'old', submittedDaysAgo: 5, finishedDaysAgo: 4 });

  expect(await deleteExpiredJobs(world.db, keys, DAYS)).toBe(0);
  await world.worker({ retentionDays: DAYS });
  await until('the old job to go', async () => !(await ids()).includes('old'));

  expect(await ids()).toEqual(['again', 'runs', 'waits']);
});

it('an expired session is deleted, and no other', async () => {
  const { userId } = await world.db.session.findFirstOrThrow();
  const expired = { id: randomUUID(), userId, orgId: person.orgId, expiresAt: new Date(Date.now() - 1_000) };
  await world.db.session.create({ data: expired });

  await world.worker({ retentionDays: DAYS });
  await until('the session to go', async () => (await world.db.session.count()) === 1);

  expect((await person.get('/auth/me')).status).toBe(200);
});

it('other expired rows are deleted although an old job cannot be deleted', async () => {
  const [key] = await past({ id: 'old', submittedDaysAgo: 10, finishedDaysAgo: 9 });
  const { userId } = await world.db.session.findFirstOrThrow();
  const expired = { id: randomUUID(), userId, orgId: person.orgId, expiresAt: new Date(Date.now() - 1_000) };
  await world.db.session.create({ data: expired });

  await world.db.$transaction(
    async (tx) => {
      await tx.$executeRaw`SELECT key FROM finished_jobs WHERE key = ${key}::uuid FOR UPDATE`;
      await world.worker({ retentionDays: DAYS });
      await until('the session to go', async () => (await world.db.session.count()) === 1);
      expect(await world.db.job.count()).toBe(1);
    },
    { timeout: HANG_MS },
  );
});

it('an idempotency key is deleted after it expires, but not before the last of its jobs', async () => {
  const gone = randomUUID();
  await submitJob(person, 'later', {}, { id: 'kept', run_at: new Date(Date.now() + 3_600_000).toISOString() });
  const { key: kept } = await world.db.job.findFirstOrThrow({ where: { id: 'kept' } });
  const hour = (n: number) => new Date(Date.now() + n * 3_600_000);
  const used = (key: string, jobKeys: string[], expiresAt: Date) => ({
    orgId: person.orgId,
    key,
    contentHash: new Uint8Array(32),
    jobKeys,
    answer: [],
    createdAt: hour(-30),
    expiresAt,
  });
  await world.db.idempotencyKey.createMany({
    data: [used('old', [gone], hour(-6)), used('kept', [gone, kept], hour(-6)), used('fresh', [gone], hour(1))],
  });
  const keys = async () => (await world.db.idempotencyKey.findMany({ orderBy: { key: 'asc' } })).map(({ key }) => key);

  await world.worker({ retentionDays: DAYS });
  await until('the key to go', async () => (await keys()).length === 2);

  expect(await keys()).toEqual(['fresh', 'kept']);
  expect(await deleteExpiredIdempotencyKeys(world.db, { days: DAYS, limit: 10 })).toBe(0);
});

it('an idempotency key is postponed once, to a day after jobs of its age are deleted', async () => {
  await submitJob(person, 'later', {}, { id: 'kept', run_at: new Date(Date.now() + 3_600_000).toISOString() });
  const { key: jobKey } = await world.db.job.findFirstOrThrow({ where: { id: 'kept' } });
  const daysAgo = (n: number) => new Date(Date.now() - n * 86_400_000);
  const used = (key: string, createdAt: Date) => ({
    orgId: person.orgId,
    key,
    contentHash: new Uint8Array(32),
    jobKeys: [jobKey],
    answer: [],
    createdAt,
    expiresAt: daysAgo(0.1),
  });
  await world.db.idempotencyKey.createMany({ data: [used('young', daysAgo(1.1)), used('old', daysAgo(9))] });

  expect(await deleteExpiredIdempotencyKeys(world.db, { days: DAYS, limit: 10 })).toBe(2);

  const [old, young] = await world.db.idempotencyKey.findMany({ orderBy: { key: 'asc' } });
  const inDays = (at: Date | undefined) => Math.round(((at?.getTime() ?? 0) - Date.now()) / 8_640_000) / 10;
  // A job of the young key's age is deleted 3 days after its end; the job of the old key should be deleted by now.
  expect([inDays(young?.expiresAt), inDays(old?.expiresAt)]).toEqual([2.9, 1]);
});
