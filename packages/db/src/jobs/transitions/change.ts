import type { JobKey, JobStatus, OrgId } from '@jobline/contracts';
import type { DbSession } from '../../postgres/client.js';
import { retryDeadlocks } from '../../postgres/errors.js';
import { arrayText, type SourceRef } from '../columns.js';
import { IS_PARKED, UNDER_LIMIT, UNDER_ORDERED_LIMIT } from './held.js';
import type { Enqueueable, PendingStage } from './insert.js';

/** New values of a pending job. What is undefined stays. */
export interface JobChange {
  /** Null or a time in the past means now. */
  runAt?: Date | null | undefined;
  priority?: number | undefined;
  /** Null: the job does not expire any more. */
  expiresAt?: Date | null | undefined;
  /** JSON text. */
  payload?: string | undefined;
  /** The ids to whose results the payload refers. */
  refers?: readonly string[] | undefined;
  /** What the new payload takes bytes from. */
  sources?: readonly SourceRef[] | undefined;
  /** What it names. */
  abouts?: readonly string[] | undefined;
}

export type ChangeResult =
  | {
      kind: 'changed';
      key: JobKey;
      type: string;
      /** The stage of the job if it waits for another entry in its queue now; null: its entry, if it has one, stays valid. */
      movedTo: PendingStage | null;
      /** The entry that it had until now, or may have had. Another one gets a higher number. */
      entry: Enqueueable;
    }
  /** It would expire before it is due. */
  | { kind: 'expiring' }
  | { kind: 'not-pending'; status: JobStatus }
  /** The organization has no such job. */
  | { kind: 'gone' };

/** How many times a job can be moved between live and finished while a change looks for it. */
const MAX_MOVES = 10;

/**
 * Changes a pending job, and writes `note` to its log. If its time or its priority is another one, it is scheduled, waits or
 * is held then, like a new job, and the dispatcher adds an entry under the next number. It keeps its place in strict order.
 * Trigger: a job that is held after the change writes its lane, and if it was held before, makes the lanes of its key due
 * (`wake_limit_lanes.sql`). Others: the rows of its sources, and of what
 * it is about, are replaced if they are others (`write_job_sources.sql`, `write_job_abouts.sql`).
 */
export async function changePending(
  db: DbSession,
  orgId: OrgId,
  id: string,
  change: JobChange,
  note: string,
): Promise<ChangeResult> {
  for (let n = 0; n < MAX_MOVES; n++) {
    const row = await retryDeadlocks(() => changeOnce(db, orgId, id, change, note));
    if (!row) return { kind: 'gone' };
    const { key, type, queue, seq, was, isExpiring, isChanged, movedTo } = row;
    if (isChanged) return { kind: 'changed', key, type, movedTo, entry: { key, queue, seq } };
    if (isExpiring) return { kind: 'expiring' };
    if (was !== 'pending' && was !== null) return { kind: 'not-pending', status: was };
    // The job was moved to the other table while the statement waited for its lock.
  }
  throw new Error('the job was moved each time that a change looked for it');
}

interface Row extends Enqueueable {
  type: string;
  was: JobStatus | null;
  isExpiring: boolean;
  isChanged: boolean;
  movedTo: PendingStage | null;
}

/**
 * A claim either holds the lock of the row before, and the job is not pending any more, or it reads the row after the
 * change. But its statement may be older than the change, and then it reads the old payload of `submitted_jobs`. So the
 * row of the job itself says that the payload is another one.
 */
async function changeOnce(
  db: DbSession,
  orgId: OrgId,
  id: string,
  { runAt, expiresAt, refers = [], ...values }: JobChange,
  note: string,
): Promise<Row | null> {
  const { priority, payload } = { priority: values.priority ?? null, payload: values.payload ?? null };
  const rows = await db.$queryRaw<Row[]>`
    WITH s AS MATERIALIZED (SELECT key, type FROM submitted_jobs WHERE org_id = ${orgId}::uuid AND id = ${id}),
    live AS MATERIALIZED (
      SELECT key, org_id, type, queue, status::text AS was, place, enqueue_seq, run_at, priority, expires_at, limit_name
      FROM live_jobs WHERE key = (SELECT key FROM s) FOR UPDATE),
    -- The time is read when the row is locked.
    t AS MATERIALIZED (SELECT live.*, date_trunc('milliseconds', clock_timestamp()) AS now FROM live),
    n AS MATERIALIZED (
      SELECT t.key, t.was, t.now, coalesce(${priority}::int, t.priority) AS priority,
        CASE WHEN ${runAt === undefined}::bool THEN t.run_at
          -- A job that is due keeps its place among the others.
          ELSE greatest(${runAt?.toISOString() ?? null}::timestamptz, least(t.run_at, t.now)) END AS run_at,
        CASE WHEN ${expiresAt === undefined}::bool THEN t.expires_at
          ELSE ${expiresAt?.toISOString() ?? null}::timestamptz END AS expires_at
      FROM t),
    d AS MATERIALIZED (
      SELECT n.*, (n.run_at <> j.run_at OR n.priority <> j.priority) AND j.place NOT IN ('blocked', 'failing') AS is_moved,
          (CASE
            WHEN ${UNDER_LIMIT} AND NOT ${IS_PARKED} AND (n.run_at <= n.now OR ${UNDER_ORDERED_LIMIT}) THEN 'held'
            WHEN n.run_at > n.now THEN 'scheduled'
            ELSE 'waiting' END)::job_place AS place,
        ${runAt !== undefined || expiresAt !== undefined}::bool
          AND coalesce(n.expires_at <= greatest(n.run_at, n.now), false) AS is_expiring
      FROM n JOIN t AS j ON j.key = n.key),
    c AS (
      UPDATE live_jobs j SET run_at = d.run_at, priority = d.priority, expires_at = d.expires_at, updated_at = d.now,
        changed_payload_bytes = coalesce(octet_length(${payload}::text), j.changed_payload_bytes),
        refers = CASE WHEN ${payload}::text IS NULL OR j.refers IS NULL THEN j.refers ELSE ${refers.length > 0}::bool END,
        refused_by = CASE WHEN ${payload}::text IS NULL THEN j.refused_by END,
        sources = CASE WHEN ${payload}::text IS NULL THEN j.sources ELSE ${arrayText(values.sources)}::text[] END,
        -- The dispatcher may have added a waiting job under its next number, so the entry after this change skips it.
        enqueue_seq = j.enqueue_seq + d.is_moved::int,
        place = CASE WHEN d.is_moved THEN d.place ELSE j.place END
      -- No condition on columns of j: it would be checked on the version from before the wait for the lock, too.
      FROM d WHERE j.key = d.key AND d.was = 'pending' AND NOT d.is_expiring
      RETURNING j.key, j.org_id, j.attempt, d.now),
    r AS (
      UPDATE job_conditions k SET refers = k.after_id = ANY (${refers}::text[])
      FROM c WHERE k.job_key = c.key AND ${payload}::text IS NOT NULL),
    p AS (
      UPDATE submitted_jobs o SET payload = coalesce(${payload}::json, o.payload), priority = coalesce(${priority}::int, o.priority),
        abouts = CASE WHEN ${payload}::text IS NULL THEN o.abouts ELSE ${arrayText(values.abouts)}::text[] END
      FROM c WHERE o.key = c.key AND (${payload}::text IS NOT NULL OR ${priority}::int IS NOT NULL)),
    l AS (
      INSERT INTO job_logs (job_key, org_id, attempt, kind, level, message, at, status)
      SELECT key, org_id, greatest(attempt, 1), 'note', 'info', ${note}, now, 'pending' FROM c)
    SELECT s.key, s.type, coalesce(t.queue, f.queue) AS queue, t.enqueue_seq + (t.place = 'waiting')::int AS seq,
      coalesce(t.was, f.status::text) AS was, c.key IS NOT NULL AS "isChanged",
      coalesce(t.was = 'pending' AND d.is_expiring, false) AS "isExpiring",
      CASE WHEN d.is_moved THEN d.place::text END AS "movedTo"
    FROM s LEFT JOIN t ON t.key = s.key LEFT JOIN d ON d.key = s.key LEFT JOIN c ON c.key = s.key
      LEFT JOIN finished_jobs f ON f.key = s.key`;
  return rows[0] ?? null;
}
