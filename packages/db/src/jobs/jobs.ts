import type { ConditionView, JobKey, JobMessageView, JobStatus, Json, OrgId } from '@jobline/contracts';
import { type Job, Prisma } from '../generated/client.js';
import type { Db, DbSession } from '../postgres/client.js';
import { type JobSpec, specColumns, specOf } from './columns.js';
import { conditionsOfJob } from './conditions.js';
import { JOB_COLUMNS, type JobRow } from './list-jobs.js';
import { LATEST_PROGRESS, PROGRESS_COLUMNS, type Progress, type ProgressColumns, toProgress } from './progress.js';
import {
  PAYLOAD_COLUMNS,
  REDACTING_SETTINGS,
  REDACTION_COLUMNS,
  type ReserveMemory,
  type ShownPayload,
  type StoredPayload,
  showPayload,
} from './redaction.js';

type DetailColumn = 'limitKey' | 'limitName' | 'rerunOf' | 'expiresAt' | 'callbackUrl' | 'scheduleId' | 'plannedAt';

export interface JobDetailRow extends JobRow, Pick<Job, DetailColumn>, ShownPayload {
  /** That of the latest attempt; null: it has none, it is redacted, or the job waits for another attempt. */
  progress: Progress | null;
  /** Null: it was submitted without `after`. */
  after: ConditionView[] | null;
  /** Null: it has sent none. */
  messages: JobMessageView[] | null;
}

/** The result of a job's latest attempt. */
export interface ResultRow
  extends Pick<Job, 'status' | 'errorCode' | 'errorMessage' | 'runAt' | 'startedAt' | 'durationMs' | 'finishedAt'> {
  result: Json;
}

/** Larger payloads are read by a second statement, once there is memory for them. */
const LARGE_BYTES = 64 * 1024;

/** SQL: the message of the job and its copies as JSON; null: it has none. */
const MESSAGES = Prisma.sql`(
  SELECT json_agg(json_build_object('id', m.id, 'kind', m.channel, 'status', m.status, 'error', CASE
    WHEN m.error_code IS NOT NULL THEN json_build_object('code', m.error_code, 'message', coalesce(m.error_message, '')) END)
    ORDER BY m.copy_of NULLS FIRST, m.id)
  FROM (SELECT id FROM messages WHERE job_key = jobs.key) AS o, LATERAL (
    SELECT * FROM messages WHERE id = o.id UNION ALL SELECT * FROM messages WHERE copy_of = o.id) AS m)`;

/** An organization's job with its payload exactly as submitted, but for what is redacted, or null. */
export async function findJob(db: Db, orgId: OrgId, id: string, reserve: ReserveMemory): Promise<JobDetailRow | null> {
  const rows = await db.$queryRaw<FoundRow[]>`
    SELECT ${JOB_COLUMNS}, limit_key AS "limitKey", limit_name AS "limitName", rerun_of AS "rerunOf", expires_at AS "expiresAt",
      callback_url AS "callbackUrl", schedule_id AS "scheduleId", planned_at AS "plannedAt",
      ${PROGRESS_COLUMNS}, ${conditionsOfJob(Prisma.sql`jobs.key`)} AS after, ${MESSAGES} AS messages,
      CASE WHEN octet_length(p.text) <= ${LARGE_BYTES} THEN p.text END AS payload, octet_length(p.text) AS "payloadBytes",
      ${REDACTION_COLUMNS}
    FROM jobs CROSS JOIN LATERAL (SELECT jobs.payload::text AS text OFFSET 0) AS p ${REDACTING_SETTINGS} ${LATEST_PROGRESS}
    WHERE jobs.org_id = ${orgId}::uuid AND id = ${id}`;
  if (!rows[0]) return null;
  const { payload: small, payloadBytes, redactKeys, isDeleted, percent, progressText, progressAt, ...job } = rows[0];
  await reserve(payloadBytes);
  const payload = small ?? (await readPayload(db, orgId, id));
  if (payload === null) return null;
  const shown = showPayload({ payload, redactKeys, isDeleted });
  const progress = shown.isRedacted ? null : toProgress({ percent, progressText, progressAt });
  return { ...job, ...shown, progress };
}

/** `payload`: null if it is large. */
type FoundRow = Omit<JobDetailRow, keyof ShownPayload | 'progress'> &
  ProgressColumns &
  Omit<StoredPayload, 'payload'> & { payload: string | null; payloadBytes: number };

/** Null: the job has been deleted meanwhile. */
async function readPayload(db: Db, orgId: OrgId, id: string): Promise<string | null> {
  const rows = await db.$queryRaw<{ payload: string }[]>`
    SELECT payload::text AS payload FROM jobs WHERE org_id = ${orgId}::uuid AND id = ${id}`;
  return rows[0]?.payload ?? null;
}

/** The type of an organization's job, or null. */
export async function findJobType(db: Db, orgId: OrgId, id: string): Promise<string | null> {
  const rows = await db.$queryRaw<{ type: string }[]>`
    SELECT type FROM submitted_jobs WHERE org_id = ${orgId}::uuid AND id = ${id}`;
  return rows[0]?.type ?? null;
}

/** The result of an organization's job so far, or null. */
export async function findResult(db: Db, orgId: OrgId, id: string): Promise<ResultRow | null> {
  const rows = await db.$queryRaw<(ResultRow & { result: string | null })[]>`
    SELECT status, result::text AS result, error_code AS "errorCode", error_message AS "errorMessage", run_at AS "runAt",
      started_at AS "startedAt", duration_ms AS "durationMs", finished_at AS "finishedAt"
    FROM jobs WHERE org_id = ${orgId}::uuid AND id = ${id}`;
  const row = rows[0];
  return row ? { ...row, result: row.result === null ? null : (JSON.parse(row.result) as Json) } : null; // stored as JSON
}

/** Those of these ids whose job has ended or was deleted. */
export async function listEnded(db: Db, orgId: OrgId, ids: readonly string[]): Promise<string[]> {
  const rows = await db.$queryRaw<{ id: string }[]>`
    SELECT w.id FROM unnest(${ids}::text[]) AS w(id) WHERE NOT EXISTS (
      SELECT 1 FROM submitted_jobs s JOIN live_jobs l ON l.key = s.key WHERE s.org_id = ${orgId}::uuid AND s.id = w.id)`;
  return rows.map(({ id }) => id);
}

/** What a rerun takes over from a job. */
export interface RerunSource extends JobSpec, ShownPayload {
  isFinished: boolean;
  /** The ids in the `after` of the job. */
  after: string[];
}

/** What a rerun of an organization's job takes over, or null. */
export async function findRerunSource(
  db: Db,
  orgId: OrgId,
  id: string,
  reserve: ReserveMemory,
): Promise<RerunSource | null> {
  const job = await findJob(db, orgId, id, reserve);
  return job && toRerunSource(job);
}

/** A job that a bulk action runs again. `id`: null if the job was deleted. */
export interface BulkRerunSource extends RerunSource {
  id: string | null;
}

/**
 * What reruns of these jobs take over, in the order of the keys: of all of them, or of the first whose payloads have at
 * most `maxBytes` together; at least one.
 */
export async function listRerunSources(
  db: DbSession,
  keys: readonly JobKey[],
  maxBytes: number,
): Promise<BulkRerunSource[]> {
  const rows = await db.$queryRaw<StoredRow[]>`
    SELECT jobs.id, jobs.status, ${specColumns('jobs')}, ${PAYLOAD_COLUMNS}, ${conditionsOfJob(Prisma.sql`k.key`)} AS after
    FROM (
      SELECT k.key, k.n, sum(octet_length(s.payload::text)) OVER (ORDER BY k.n) AS bytes
      FROM unnest(${keys}::uuid[]) WITH ORDINALITY AS k(key, n) LEFT JOIN submitted_jobs s ON s.key = k.key) AS k
    LEFT JOIN jobs ON jobs.key = k.key ${REDACTING_SETTINGS}
    WHERE k.n = 1 OR coalesce(k.bytes, 0) <= ${maxBytes}
    ORDER BY k.n`;
  return rows.map(({ id, payload, redactKeys, isDeleted, ...job }) => ({
    id,
    ...toRerunSource({ ...job, ...showPayload({ payload: payload ?? '{}', redactKeys, isDeleted }) }),
  }));
}

/** If the job was deleted, everything is null. Only the types of what is read then say so. */
type StoredRow = RerunRow & Omit<StoredPayload, 'payload'> & { id: string | null; payload: string | null };

interface RerunRow extends Omit<JobSpec, 'priority'> {
  status: JobStatus | null;
  after: ConditionView[] | null;
}

/** A rerun has the usual priority. */
function toRerunSource({ payload, isRedacted, status, after, ...job }: RerunRow & ShownPayload): RerunSource {
  const isFinished = status === 'done' || status === 'failed';
  const ids = (after ?? []).map(({ id }) => id);
  return { ...specOf({ ...job, priority: 0 }), payload, isRedacted, isFinished, after: ids };
}
