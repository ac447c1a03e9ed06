import {
  type Channel,
  type JobStatus,
  type JsonObject,
  type MessageStatus,
  type OrgId,
  SEARCH_LIMITS,
} from '@jobline/contracts';
import {
  REDACTING_SETTINGS,
  REDACTION_COLUMNS,
  type ReserveMemory,
  SEARCHED_BYTES,
  SEARCHED_PAGE_BYTES,
  type StoredPayload,
  shownColumn,
  showPayload,
} from '../jobs/redaction.js';
import { JOB_OF } from '../messages/messages.js';
import type { DbSession } from '../postgres/client.js';

/** A job as far as searches find it, as it is now and without what is redacted. */
export interface SearchedJob {
  key: string;
  id: string;
  type: string;
  status: JobStatus;
  tags: string[];
  limitKey: string | null;
  /** Of a job that failed lately; null otherwise. */
  errorMessage: string | null;
  /** Null: no type of the job is searched by its payload. */
  payload: JsonObject | null;
  createdAt: Date;
}

export interface SearchedRows<Row> {
  /** In the order of the keys; without those that do not exist. */
  rows: Row[];
  /** How many of the keys were read: at least one. */
  read: number;
}

/**
 * The jobs with these keys: of all of them, or of the first whose payloads have at most `maxBytes` together. `types`: those whose
 * payloads are searched.
 */
export async function listSearchedJobs(
  db: DbSession,
  orgId: OrgId,
  keys: readonly string[],
  { types, maxBytes, reserve }: { types: readonly string[]; maxBytes: number; reserve: ReserveMemory },
): Promise<SearchedRows<SearchedJob>> {
  const rows = await db.$queryRaw<(Omit<SearchedJob, 'id' | 'payload'> & NullableStored)[]>`
    WITH k AS MATERIALIZED (
      SELECT k.key, k.n, sum(s.bytes) OVER (ORDER BY k.n) - s.bytes AS bytes_before
      FROM unnest(${keys}::uuid[]) WITH ORDINALITY AS k(key, n) CROSS JOIN LATERAL (
        SELECT coalesce((
          SELECT octet_length(payload::text) FROM submitted_jobs WHERE key = k.key AND type = ANY (${types}::text[])), 0) AS bytes
        OFFSET 0) AS s)
    SELECT k.key, j.* FROM k -- The organization is compared afterwards: otherwise its index may be read for each key.
    LEFT JOIN LATERAL (
      SELECT jobs.org_id, jobs.id, jobs.type, jobs.status, coalesce(jobs.tags, '{}') AS tags, jobs.limit_key AS "limitKey",
        jobs.created_at AS "createdAt",
        CASE WHEN jobs.status::text = 'failed' AND jobs.finished_at > now() - ${SEARCH_LIMITS.failureDays}::int * interval '1 day'
          THEN jobs.error_message END AS "errorMessage",
        CASE WHEN jobs.type = ANY (${types}::text[]) THEN jobs.payload::text END AS payload, ${REDACTION_COLUMNS}
      FROM jobs ${REDACTING_SETTINGS} WHERE jobs.key = k.key OFFSET 0) AS j ON j.org_id = ${orgId}::uuid
    WHERE k.bytes_before <= ${maxBytes} ORDER BY k.n`;
  await reserve(rows.reduce((sum, { payload }) => sum + (payload?.length ?? 0), 0));
  return {
    rows: rows.flatMap(({ id, payload, redactKeys, isDeleted, ...job }) =>
      id === null
        ? []
        : [{ ...job, id, payload: payload === null ? null : showPayload({ payload, redactKeys, isDeleted }).payload }],
    ),
    read: rows.length,
  };
}

/** `id`: null if the organization has no such job; then all columns but `key` are null. */
type NullableStored = { id: string | null; payload: string | null } & Omit<StoredPayload, 'payload'>;

/** A message as far as searches find it, as it is now and without what is redacted. */
export interface SearchedMessage {
  key: string;
  channel: Channel;
  status: MessageStatus;
  recipient: string;
  subject: string | null;
  createdAt: Date;
}

/** The messages of an organization with these ids, in the order of the ids. */
export function listSearchedMessages(db: DbSession, orgId: OrgId, ids: readonly string[]): Promise<SearchedMessage[]> {
  return db.$queryRaw<SearchedMessage[]>`
    WITH page AS MATERIALIZED (
      SELECT k.n, m.* FROM unnest(${ids}::uuid[]) WITH ORDINALITY AS k(id, n) JOIN LATERAL (
        SELECT org_id, id, channel, status, recipient, subject, copied_as, created_at, ${JOB_OF} AS job_key
        FROM messages m WHERE id = k.id OFFSET 0) AS m ON m.org_id = ${orgId}::uuid)
    SELECT m.id AS key, m.channel::text AS channel, m.status::text AS status, ${shownColumn('recipient')} AS recipient,
      ${shownColumn('subject')} AS subject, m.created_at AS "createdAt"
    FROM page m LEFT JOIN (
      SELECT * FROM redacted_keys_of(${orgId}::uuid, (SELECT array_agg(DISTINCT job_key) FROM page), ${SEARCHED_BYTES}::int,
        ${SEARCHED_PAGE_BYTES}::int)
      WHERE EXISTS (SELECT 1 FROM organization_settings WHERE org_id = ${orgId}::uuid AND redact_keys <> '{}')) AS r
      ON r.job_key = m.job_key
    ORDER BY m.n`;
}
