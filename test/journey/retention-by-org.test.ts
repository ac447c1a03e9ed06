import type { JobKey } from '@jobline/contracts';
import { deleteExpiredIdempotencyKeys } from '@jobline/db/job-transitions';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createWorld, type Person, register, type TestApi, until, type World } from '../harness/index.js';

/** How long the installation keeps jobs. */
const DAYS = 10;

let world: World;
let api: TestApi;
let person: Person;

beforeEach(async () => {
  world = await createWorld();
  api = await world.api({ settings: { retentionDays: DAYS } });
  person = await register(api.call);
});
afterEach(() => world.end());

const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000);

async function keepFor(days: number | null, who = person): Promise<void> {
  const answer = await who.patch('/org/settings', { retention_days: days });
  expect(answer.status, answer.text).toBe(200);
}

/** Finished jobs, each with a log line and an email with a report, the first with an artifact. */
async function ended(prefix: string, days: number, { who = person, count = 1 } = {}): Promise<JobKey[]> {
  const rows = await world.db.$queryRaw<{ key: JobKey }[]>`
    WITH j AS (
      INSERT INTO jobs (key, org_id, id, type, queue, payload, status, attempt, run_at, created_at, updated_at, finished_at)
      SELECT (lpad(to_hex((extract(epoch FROM at) * 1000)::bigint), 12, '0') || '7' || substr(md5(random()::text), 1, 3)
          || '8' || substr(md5(random()::text), 1, 15))::uuid, ${who.orgId}::uuid, ${prefix} || n, 'old', 'io', '{}', 'done', 1, at, at, at, at
      FROM generate_series(1, ${count}::int) AS n, (SELECT ${daysAgo(days).toISOString()}::timestamptz AS at) AS t
      RETURNING key, org_id, id, created_at),
    l AS (
      INSERT INTO job_logs (job_key, org_id, attempt, level, message, at) SELECT key, org_id, 1, 'info', 'line', now() FROM j),
    a AS (
      INSERT INTO artifacts (job_key, name, content_type, size, sha256, bytes)
      SELECT key, 'file', 'text/plain', 1, '\\x00', '\\x00' FROM j WHERE id = ${`${prefix}1`}),
    m AS (
      INSERT INTO messages (id, org_id, channel, status, provider, recipient, body, job_key, called_at, created_at, updated_at)
      SELECT key, org_id, 'email', 'delivered', 'sendgrid', 'a@b.example', 'text', key, created_at, created_at, created_at FROM j),
    e AS (
      INSERT INTO message_events (provider, event_id, message_id, kind, received_at)
      SELECT 'sendgrid', key::text, key, 'delivered', now() FROM j)
    SELECT key FROM j`;
  return rows.map(({ key }) => key);
}

const ids = async (who = person) => (await who.get('/jobs?limit=1000')).body.map(({ id }: { id: string }) => id).sort();

async function rows(): Promise<Record<string, number>> {
  const { db } = world;
  return {
    lines: await db.jobLog.count(),
    artifacts: await db.artifact.count(),
    messages: await db.message.count(),
    events: await db.messageEvent.count(),
  };
}

it('jobs are deleted with all that belongs to them after the days of their own organization', async () => {
  const other = await register(api.call);
  await ended('old', 2.1);
  await ended('kept', 1.9);
  await ended('theirs', 9, { who: other });
  await keepFor(2);

  await world.worker({ retentionDays: DAYS });
  await until('the old job to go', async () => (await ids()).length === 1);
  await until('its parts to go', async () => (await rows()).lines === 2 && (await rows()).artifacts === 2);

  expect([await ids(), await ids(other)]).toEqual([['kept1'], ['theirs1']]);
  expect(await rows()).toEqual({ lines: 2, artifacts: 2, messages: 2, events: 2 });
});

it('retention completes however many jobs of an organization are to be deleted', async () => {
  await ended('old', 5, { count: 2_300 });
  await ended('kept', 1);
  await keepFor(2);

  await world.worker({ retentionDays: DAYS });
  await until('the old jobs to go', async () => (await ids()).length === 1);
  await until('their parts to go', async () => (await rows()).lines === 1 && (await rows()).artifacts === 1);

  expect(await rows()).toEqual({ lines: 1, artifacts: 1, messages: 1, events: 1 });
});

it('a job is kept for as long as the current settings say', async () => {
  await ended('job', 4);
  await ended('gone', 6);
  await keepFor(3);
  await keepFor(5);
  const worker = await world.worker({ retentionDays: DAYS });
  await until('the older job to go', async () => (await ids()).length === 1);
  await worker.stop();
  expect(await ids()).toEqual(['job1']);

  await keepFor(3);
  await world.worker({ retentionDays: DAYS });
  await until('the other job to go', async () => (await ids()).length === 0);
});

it('the shorter of both times counts', async () => {
  await ended('old', 4);
  await ended('kept', 2);
  await keepFor(DAYS);

  await world.worker({ retentionDays: 3 });
  await until('the old job to go', async () => (await ids()).length === 1);

  expect(await ids()).toEqual(['kept1']);
  expect((await person.get('/org/settings')).body.retention_days).toBe(DAYS);
});

it('an idempotency key is postponed by the time for which its organization keeps jobs', async () => {
  const other = await register(api.call);
  await keepFor(2);
  for (const who of [person, other]) {
    const [jobKey = ''] = await ended('kept', 0.5, { who });
    const fields = { contentHash: new Uint8Array(32), jobKeys: [jobKey], answer: [], expiresAt: daysAgo(0.1) };
    await world.db.idempotencyKey.create({ data: { ...fields, orgId: who.orgId, key: 'k', createdAt: daysAgo(1.1) } });
  }

  expect(await deleteExpiredIdempotencyKeys(world.db, { days: DAYS, limit: 10 })).toBe(2);

  const inDays = async ({ orgId }: Person) => {
    const { expiresAt } = await world.db.idempotencyKey.findFirstOrThrow({ where: { orgId } });
    return Math.round((expiresAt.getTime() - Date.now()) / 8_640_000) / 10;
  };
  expect([await inDays(person), await inDays(other)]).toEqual([1.9, DAYS - 0.1]);
});
