import { JOB_STATUSES, type JobStatus, type Json, type OrgId } from '@jobline/contracts';
import { type Job, Prisma } from '../generated/client.js';
import type { Db } from '../postgres/client.js';
import { byCreation, type Page, toPage, upperBound } from '../postgres/page.js';
import { isOneOf, JOB_COLUMNS, type JobFilter, type JobRow } from './job-rows.js';
import { listLabeledJobs } from './labeled-jobs.js';
import {
  REDACTING_SETTINGS,
  REDACTION_COLUMNS,
  type Reserve,
  type ShownPayload,
  type StoredPayload,
  showPayload,
} from './redact-payload.js';

type DetailColumn = 'limitKey' | 'limitName' | 'rerunOf' | 'expiresAt' | 'callbackUrl' | 'scheduleId' | 'plannedAt';

export interface JobDetailRow extends JobRow, Pick<Job, DetailColumn>, ShownPayload {}

/** The result of a job's latest attempt. */
export interface ResultRow
  extends Pick<Job, 'status' | 'errorCode' | 'errorMessage' | 'runAt' | 'startedAt' | 'durationMs' | 'finishedAt'> {
  result: Json;
}

/** SQL: the jobs of each status. The text names the status, because indexes of live jobs are for one status each. */
const JOBS_IN: Readonly<Record<JobStatus, Prisma.Sql>> = {
  pending: Prisma.sql`updated_at AS "updatedAt" FROM live_jobs WHERE status = 'pending'`,
  processing: Prisma.sql`updated_at AS "updatedAt" FROM live_jobs WHERE status = 'processing'`,
  done: Prisma.sql`finished_at AS "updatedAt" FROM finished_jobs WHERE status = 'done'`,
  failed: Prisma.sql`finished_at AS "updatedAt" FROM finished_jobs WHERE status = 'failed'`,
};

/**
 * A page of an organization's jobs, newest first. The page merges one index range per status, so it costs `limit` rows
 * per requested status and type, whatever the filter, the depth and the number of jobs. A filter by type reads all running jobs of
 * the organization: there are no more of them than slots. Lists by tag, key or schedule, or by error code and type, read a
 * limited number of rows, so a page of such a list may have fewer jobs than `limit` although another page follows.
 */
export async function listJobs(db: Db, orgId: OrgId, filter: JobFilter): Promise<Page<JobRow>> {
  const { statuses, types, tags = [], limitKey, scheduleId, errorCode } = filter;
  if (types?.length === 0) return { items: [], next: null };
  // Only failed jobs have an error code.
  if (errorCode !== undefined && statuses.length > 0 && !statuses.includes('failed')) return { items: [], next: null };
  // No index has both error code and type.
  const needsBoth = errorCode !== undefined && !!types;
  const isLabeled = tags.length > 0 || limitKey !== undefined || scheduleId !== undefined || needsBoth;
  return isLabeled ? listLabeledJobs(db, orgId, filter) : listByStatus(db, orgId, filter);
}

async function listByStatus(db: Db, orgId: OrgId, filter: JobFilter): Promise<Page<JobRow>> {
  const all = filter.errorCode === undefined ? JOB_STATUSES : (['failed'] as const);
  const statuses = filter.statuses.length > 0 ? filter.statuses : all;
  const after = filter.createdAfter?.toISOString() ?? '-infinity';
  const below = upperBound(filter.cursor, filter.createdBefore, '');
  const withCode = filter.errorCode === undefined ? Prisma.empty : Prisma.sql`AND error_code = ${filter.errorCode}`;
  const wanted = filter.limit + 1;
  const part = (status: JobStatus, ofType: Prisma.Sql) => Prisma.sql`
    (SELECT id, type, status, retries, max_retries AS "maxRetries", created_at AS "createdAt", tags, ${JOBS_IN[status]}
       AND org_id = ${orgId}::uuid ${ofType} ${withCode}
       AND created_at >= ${after}::timestamptz AND (created_at, id) < (${below.at}::timestamptz, ${below.id})
     ORDER BY created_at DESC, id DESC LIMIT ${wanted})`;
  const { types } = filter;
  const parts = statuses.map((status) => {
    if (!types) return part(status, Prisma.empty);
    if (types.length === 1) return part(status, Prisma.sql`AND ${isOneOf(Prisma.sql`type`, types)}`);
    // An index range per type: a filter would read the jobs of all other types.
    const ofType = part(status, Prisma.sql`AND type = t.name`);
    return Prisma.sql`(SELECT j.* FROM unnest(${types}::text[]) AS t(name), LATERAL ${ofType} AS j)`;
  });
  const rows = await db.$queryRaw<JobRow[]>`
    SELECT * FROM (${Prisma.join(parts, ' UNION ALL ')}) AS j ORDER BY "createdAt" DESC, id DESC LIMIT ${wanted}`;
  return toPage(rows, filter.limit, byCreation);
}

/** Larger payloads are read by a second statement, once there is memory for them. */
const LARGE_BYTES = 64 * 1024;

/** An organization's job with its payload exactly as submitted, but for what is redacted, or null. */
export async function findJob(db: Db, orgId: OrgId, id: string, reserve: Reserve): Promise<JobDetailRow | null> {
  const rows = await db.$queryRaw<FoundRow[]>`
    SELECT ${JOB_COLUMNS}, limit_key AS "limitKey", limit_name AS "limitName", rerun_of AS "rerunOf", expires_at AS "expiresAt",
      callback_url AS "callbackUrl", schedule_id AS "scheduleId", planned_at AS "plannedAt",
      CASE WHEN octet_length(p.text) <= ${LARGE_BYTES} THEN p.text END AS payload, octet_length(p.text) AS "payloadBytes",
      ${REDACTION_COLUMNS}
    FROM jobs CROSS JOIN LATERAL (SELECT jobs.payload::text AS text OFFSET 0) AS p ${REDACTING_SETTINGS}
    WHERE jobs.org_id = ${orgId}::uuid AND id = ${id}`;
  if (!rows[0]) return null;
  const { payload: small, payloadBytes, redactKeys, isDeleted, ...job } = rows[0];
  await reserve(payloadBytes);
  const payload = small ?? (await readPayload(db, orgId, id));
  return payload === null ? null : { ...job, ...showPayload({ payload, redactKeys, isDeleted }) };
}

/** `payload`: null if it is large. */
type FoundRow = Omit<JobDetailRow, keyof ShownPayload> &
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
