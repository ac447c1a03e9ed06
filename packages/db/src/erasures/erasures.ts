import { ABOUT_FIELDS, COPY_FIELDS, type ErasureStatus, type JobKey, type OrgId } from '@jobline/contracts';
import { type Erasure, Prisma } from '../generated/client.js';
import type { DbSession } from '../postgres/client.js';
import type { HotDb } from '../postgres/hot.js';
import { FIRST_ID, type Page, type PageRequest, readPage } from '../postgres/page.js';

/** An erasure as its organization sees it: without what it erases. */
export interface ErasureRow
  extends Pick<
    Erasure,
    'id' | 'jobs' | 'messages' | 'files' | 'suppressions' | 'schedules' | 'createdAt' | 'finishedAt'
  > {
  status: ErasureStatus;
}

const COLUMNS = Prisma.sql`id, jobs, messages, files, suppressions, schedules, created_at AS "createdAt",
  finished_at AS "finishedAt", CASE WHEN finished_at IS NULL THEN 'running' ELSE 'done' END AS status`;

/** What is erased: everything about an address (in lower case), everything with a key, or both. */
export interface Erased {
  address: string | null;
  key: string | null;
}

export interface NewErasure extends Erased {
  id: string;
  liftsSuppressions: boolean;
  /** The ids of the schedules that were paused. */
  schedules: readonly string[];
}

/** Stores an erasure, which is due now. */
export async function createErasure(tx: DbSession, orgId: OrgId, erasure: NewErasure): Promise<ErasureRow> {
  const { id, address, key, liftsSuppressions, schedules } = erasure;
  const [row] = await tx.$queryRaw<ErasureRow[]>`
    INSERT INTO erasures (id, org_id, address, key, lifts_suppressions, schedules, next_at, created_at)
    SELECT ${id}::uuid, ${orgId}::uuid, ${address}, ${key}, ${liftsSuppressions}, ${schedules}::text[], now, now
    FROM (SELECT date_trunc('milliseconds', clock_timestamp()) AS now) AS t
    RETURNING ${COLUMNS}`;
  if (!row) throw new Error('an erasure was not stored');
  return row;
}

export async function findErasure(db: DbSession, orgId: OrgId, id: string): Promise<ErasureRow | null> {
  const [row] = await db.$queryRaw<ErasureRow[]>`
    SELECT ${COLUMNS} FROM erasures WHERE org_id = ${orgId}::uuid AND id = ${id}::uuid`;
  return row ?? null;
}

/** A page of the erasures of an organization, newest first. */
export function listErasures(db: DbSession, orgId: OrgId, page: PageRequest): Promise<Page<ErasureRow>> {
  return readPage(db, page, Prisma.sql`SELECT ${COLUMNS} FROM erasures WHERE org_id = ${orgId}::uuid`);
}

/** How many erasures of an organization are running. */
export function countRunningErasures(tx: DbSession, orgId: OrgId): Promise<number> {
  return tx.erasure.count({ where: { orgId, finishedAt: null } });
}

/** A hash of a text of an organization, which only this installation can compute. */
export async function keyedHash(db: DbSession, orgId: OrgId, text: string): Promise<string> {
  const [row] = await db.$queryRaw<{ hash: string }[]>`SELECT keyed_hash(${orgId} || ':' || ${text}) AS hash`;
  if (!row) throw new Error('a hash was not computed');
  return row.hash;
}

/** A schedule that may name what is erased. */
export interface NamingSchedule {
  id: string;
  name: string;
  type: string;
  limitKey: string | null;
  /** JSON text. */
  payload: string;
}

/** The next schedules of an organization that have a key or one of these types, by id, locked so that none runs meanwhile. */
export function lockNextSchedules(
  tx: DbSession,
  orgId: OrgId,
  { key, types, after, limit }: { key: string | null; types: readonly string[]; after: string | null; limit: number },
): Promise<NamingSchedule[]> {
  return tx.$queryRaw<NamingSchedule[]>`
    SELECT id, name, type, limit_key AS "limitKey", payload::text AS payload FROM schedules
    WHERE org_id = ${orgId}::uuid AND id > ${after ?? FIRST_ID}::uuid AND (limit_key = ${key} OR type = ANY (${types}::text[]))
    ORDER BY id LIMIT ${limit} FOR UPDATE`;
}

/** Pauses those of these schedules that are not paused. Returns their ids. */
export async function pauseSchedules(tx: DbSession, orgId: OrgId, ids: readonly string[]): Promise<Set<string>> {
  const rows = await tx.$queryRaw<{ id: string }[]>`
    UPDATE schedules SET enabled = false, next_run_at = NULL
    WHERE org_id = ${orgId}::uuid AND id = ANY (${ids}::uuid[]) AND enabled RETURNING id`;
  return new Set(rows.map(({ id }) => id));
}

/** An erasure that is due for a step. */
export interface DueErasure extends Erased, Pick<Erasure, 'id' | 'liftsSuppressions' | 'createdAt'> {
  orgId: OrgId;
}

/**
 * Locks the due erasure of the next organization after one, by id, that has one on which no other process works. Null: there is none.
 */
export async function lockDueErasure(tx: DbSession, after: OrgId | null): Promise<DueErasure | null> {
  const [row] = await tx.$queryRaw<DueErasure[]>`
    SELECT id, org_id AS "orgId", address, key, lifts_suppressions AS "liftsSuppressions", created_at AS "createdAt" FROM erasures
    WHERE next_at <= clock_timestamp() AND next_at IS NOT NULL AND org_id > ${after ?? FIRST_ID}::uuid
    ORDER BY org_id, next_at LIMIT 1 FOR UPDATE SKIP LOCKED`;
  return row ?? null;
}

/** The time until the next step of any erasure is due, in ms; null: none is running. */
export async function nextErasureMs(hot: HotDb): Promise<number | null> {
  const [row] = await hot.query<{ ms: number | null }>`
    SELECT (extract(epoch FROM min(next_at) - clock_timestamp()) * 1000)::float8 AS ms FROM erasures WHERE next_at IS NOT NULL`;
  return row?.ms ?? null;
}

/** What a step of an erasure has deleted. */
export interface ErasureStep {
  jobs: number;
  messages: number;
  files: number;
}

/** Stores a step of a locked erasure, of which the next is due after a time. */
export async function saveErasureStep(
  tx: DbSession,
  id: string,
  { jobs, messages, files }: ErasureStep,
  delayMs: number,
): Promise<void> {
  await tx.$executeRaw`
    UPDATE erasures SET jobs = jobs + ${jobs}, messages = messages + ${messages}, files = files + ${files},
      next_at = clock_timestamp() + ${delayMs} * interval '1 ms'
    WHERE id = ${id}::uuid`;
}

/** Hashes are kept as long as providers may report late. */
const HASH_DAYS = 90;

/**
 * Ends a locked erasure whose jobs and messages are deleted: it forgets what it has erased. `forms`: those of the address. Their
 * suppressions become hashes, or are deleted.
 */
export async function finishErasure(
  tx: DbSession,
  { id, orgId, key, liftsSuppressions }: DueErasure,
  forms: readonly string[],
): Promise<void> {
  const own = Prisma.sql`org_id = ${orgId}::uuid AND address = ANY (suppressed_as(${orgId}::uuid, ${forms}::text[]))`;
  const hashed = Prisma.sql`'erased:' || keyed_hash(org_id || ':' || address)`;
  const suppressions = liftsSuppressions
    ? await tx.$executeRaw`DELETE FROM suppressions WHERE ${own}`
    : await tx.$executeRaw`
        WITH plain AS (DELETE FROM suppressions WHERE ${own} AND address NOT LIKE 'erased:%' RETURNING *)
        INSERT INTO suppressions (id, org_id, address, reason, message_id, created_at)
        SELECT id, org_id, ${hashed}, reason, message_id, created_at FROM plain
        ON CONFLICT (org_id, address) DO UPDATE SET reason = greatest(suppressions.reason, excluded.reason)`;
  await keepHashes(tx, Prisma.sql`SELECT ${orgId} || ':' || a AS text FROM unnest(${forms}::text[]) AS a`);
  await tx.$executeRaw`DELETE FROM limit_rates WHERE org_id = ${orgId}::uuid AND limit_key = ${key}
    AND name IN (SELECT name FROM limits WHERE org_id = ${orgId}::uuid)`;
  await tx.$executeRaw`
    UPDATE erasures SET address = NULL, key = NULL, next_at = NULL, suppressions = ${suppressions},
      finished_at = date_trunc('milliseconds', clock_timestamp())
    WHERE id = ${id}::uuid`;
}

/** Keeps hashes of texts, which a statement selects, so that late feedback on them is dropped. */
async function keepHashes(tx: DbSession, texts: Prisma.Sql): Promise<void> {
  await tx.$executeRaw`
    INSERT INTO erased_hashes (hash, expires_at)
    SELECT DISTINCT keyed_hash(t.text), now() + ${HASH_DAYS} * interval '1 day' FROM (${texts}) AS t WHERE t.text IS NOT NULL
    ON CONFLICT (hash) DO UPDATE SET expires_at = excluded.expires_at`;
}

/** SQL: whether the job with this key was canceled and still runs. */
const isEnding = (key: Prisma.Sql) => Prisma.sql`EXISTS (
  SELECT 1 FROM live_jobs l WHERE l.key = ${key} AND l.status::text = 'processing' AND l.cancel_requested_at IS NOT NULL)`;

/** SQL: the jobs of an erasure, found by what they are about and by their key. `which`: a further condition on their key, and an end. */
function jobsOf(
  { orgId, key, createdAt }: DueErasure,
  forms: readonly string[],
  which: (key: Prisma.Sql) => Prisma.Sql,
): Prisma.Sql {
  const abouts = [...ABOUT_FIELDS, ...COPY_FIELDS].flatMap((field) => forms.map((form) => `${field}:${form}`));
  const until = createdAt.toISOString();
  return Prisma.sql`
    (SELECT a.key FROM job_abouts a WHERE a.org_id = ${orgId}::uuid AND a.about = ANY (${abouts}::text[])
      AND a.created_at <= ${until}::timestamptz AND ${which(Prisma.sql`a.key`)})
    UNION
    (SELECT s.key FROM submitted_jobs s WHERE s.org_id = ${orgId}::uuid AND s.limit_key = ${key}
      AND s.created_at <= ${until}::timestamptz AND ${which(Prisma.sql`s.key`)})`;
}

/** The next jobs of an erasure, at most `limit`, without those that were canceled and still run. */
export async function listJobsToErase(
  tx: DbSession,
  erasure: DueErasure,
  forms: readonly string[],
  limit: number,
): Promise<JobKey[]> {
  const jobs = jobsOf(erasure, forms, (key) => Prisma.sql`NOT ${isEnding(key)} LIMIT ${limit}`);
  const rows = await tx.$queryRaw<{ key: JobKey }[]>`SELECT key FROM (${jobs}) AS j ORDER BY key LIMIT ${limit}`;
  return rows.map((row) => row.key);
}

/** A message to erase, which is no copy. */
export interface MessageToErase {
  id: string;
  /** The job that has sent it; null: none, or it was deleted. */
  jobKey: JobKey | null;
}

/**
 * The next emails and texts to an address, at most `limit`, also those of jobs that are not found by what they are about. Without those
 * whose job was canceled and still runs, and those whose call to the provider may still run.
 */
export function listMessagesToErase(
  tx: DbSession,
  { orgId, createdAt }: DueErasure,
  forms: readonly string[],
  limit: number,
): Promise<MessageToErase[]> {
  return tx.$queryRaw<MessageToErase[]>`
    SELECT DISTINCT id, "jobKey" FROM (
      SELECT o.id, s.key AS "jobKey" FROM ${sentTo(orgId, forms, createdAt)}
      JOIN messages o ON o.id = coalesce(m.copy_of, m.id) LEFT JOIN submitted_jobs s ON s.key = o.job_key
      WHERE NOT (s.key IS NULL AND o.calling IS NOT NULL AND o.called_at > now() - interval '1 min') AND NOT ${isEnding(Prisma.sql`s.key`)}
      LIMIT ${limit}) AS found`;
}

/** SQL: the messages `m` to one of the forms of an address. */
function sentTo(orgId: OrgId, forms: readonly string[], createdAt: Date): Prisma.Sql {
  return Prisma.sql`(SELECT id, copy_of FROM messages WHERE org_id = ${orgId}::uuid AND channel IN ('email', 'sms', 'chat')
    AND lower(recipient) = ANY (${forms}::text[]) AND created_at <= ${createdAt.toISOString()}::timestamptz) AS m`;
}

/** Whether jobs or messages of an erasure are left. */
export async function isErasureOpen(tx: DbSession, erasure: DueErasure, forms: readonly string[]): Promise<boolean> {
  const jobs = jobsOf(erasure, forms, () => Prisma.sql`true LIMIT 1`);
  const [row] = await tx.$queryRaw<{ isOpen: boolean }[]>`
    SELECT EXISTS (SELECT 1 FROM (${jobs}) AS j)
      OR EXISTS (SELECT 1 FROM ${sentTo(erasure.orgId, forms, erasure.createdAt)}) AS "isOpen"`;
  return row?.isOpen ?? false;
}

/** Deletes the events of these jobs, and their messages like eraseMessages. Returns how many messages. */
export async function eraseMessagesOf(tx: DbSession, keys: readonly JobKey[]): Promise<number> {
  await tx.$executeRaw`DELETE FROM webhook_events WHERE job_key = ANY (${keys}::uuid[])`;
  const roots = await tx.$queryRaw<{ id: string }[]>`SELECT id FROM messages WHERE job_key = ANY (${keys}::uuid[])`;
  return eraseMessages(tx, roots);
}

/** Deletes these messages, their copies and all that is stored about them, and keeps hashes of their ids. Returns how many. */
export async function eraseMessages(tx: DbSession, roots: readonly { id: string }[]): Promise<number> {
  if (roots.length === 0) return 0;
  const ids = roots.map(({ id }) => id);
  const all = Prisma.sql`(SELECT * FROM messages WHERE id = ANY (${ids}::uuid[])
    UNION ALL SELECT * FROM messages WHERE copy_of = ANY (${ids}::uuid[])) AS m`;
  await keepHashes(
    tx,
    Prisma.sql`SELECT 'message:' || m.id AS text FROM ${all} UNION ALL
      SELECT 'message:' || m.provider || ':' || m.provider_message_id FROM ${all}`,
  );
  await tx.$executeRaw`
    DELETE FROM message_events e USING ${all} WHERE e.message_id = m.id`;
  await tx.$executeRaw`
    DELETE FROM message_events e USING ${all}
    WHERE num_nulls(e.message_id) = 1 AND e.provider = m.provider AND e.provider_message_id = m.provider_message_id`;
  await tx.$executeRaw`
    DELETE FROM webhook_events e USING ${all}
    WHERE e.job_key IS NULL AND e.type LIKE 'message.%' AND e.data ->> 'id' = m.id::text`;
  await tx.$executeRaw`
    DELETE FROM webhook_events e USING messages o WHERE o.id = ANY (${ids}::uuid[]) AND e.job_key = o.job_key`;
  return tx.$executeRaw`DELETE FROM messages WHERE id = ANY (${ids}::uuid[]) OR copy_of = ANY (${ids}::uuid[])`;
}

/** A file that only erased jobs have used, and that no one can read any more. */
export interface ErasedFile {
  id: string;
  isInStore: boolean;
}

/** Makes those of these files unreadable that no job uses. */
export async function eraseUnusedFiles(tx: DbSession, orgId: OrgId, ids: readonly string[]): Promise<ErasedFile[]> {
  if (ids.length === 0) return [];
  return tx.$queryRaw<ErasedFile[]>`
    UPDATE files f SET sha256 = NULL, expires_at = date_trunc('milliseconds', now())
    WHERE f.org_id = ${orgId}::uuid AND f.id = ANY (${ids}::uuid[])
      AND NOT EXISTS (SELECT 1 FROM job_sources s WHERE s.org_id = f.org_id AND s.source = 'file:' || f.id)
      AND NOT EXISTS (SELECT 1 FROM finished_jobs j WHERE j.sources @> ARRAY['file:' || f.id])
    RETURNING f.id, f.is_in_store AS "isInStore"`;
}
