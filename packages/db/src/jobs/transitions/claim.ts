import type { JobKey, OrgId } from '@jobline/contracts';
import type { DbSession } from '../../postgres/client.js';
import { retryDeadlocks } from '../../postgres/errors.js';
import type { HotDb } from '../../postgres/hot.js';

/** One delivery of a job's key by its queue. The token is the delivery's own. */
export interface Delivery {
  key: JobKey;
  token: string;
}

/** The right to run one attempt of a job. */
export interface Claim {
  key: JobKey;
  /** Whoever does not hold the job's latest token may write nothing about its attempt. */
  token: string;
  orgId: OrgId;
  type: string;
  queue: string;
  /** `enqueue_seq`: which add of the key was claimed, or a later one. */
  seq: number;
  /** JSON text; null: it is larger than LARGE_PAYLOAD_BYTES, and `readPayload` reads it. */
  payload: string | null;
  payloadBytes: number;
  attempt: number;
  retries: number;
  maxRetries: number;
  /** How many workers have died with it, less the retries of attempts that failed while their worker lived. */
  crashCount: number;
  /** The span that submitted it; null: nobody traces it. */
  traceparent: string | null;
  /** The attempt's start, by the database. */
  startedAt: Date;
}

export type ClaimAnswer =
  | { kind: 'claimed'; claim: Claim }
  /** No such job, or not pending: another delivery has it, or it is over. */
  | { kind: 'gone' }
  /** Not due for another `delayMs`. */
  | { kind: 'early'; delayMs: number }
  /** It was lost with its worker, and this one has no place for another such job now. */
  | { kind: 'crash-limit' }
  /**
   * This worker has no handler for the type. `reach`: the queue by which a live one can be reached that has; null: none
   * has. `unseenMs`: how long ago a worker last had it; null: none ever had.
   */
  | { kind: 'unhandled'; type: string; queue: string; reach: string | null; unseenMs: number | null }
  /** The worker itself was declared dead: it may claim nothing under this identity. */
  | { kind: 'worker-dead'; workerId: string };

/** How many jobs that were lost with their workers may be claimed now: lost once, and more often. */
export interface CrashCapacity {
  crashedOnce: number;
  isolated: number;
}

/** Larger payloads are not read with the claim: a statement claims hundreds of jobs. */
const LARGE_PAYLOAD_BYTES = 16 * 1024;

/** So many losses make a suspect one that runs alone. */
export const ISOLATE_AFTER_CRASHES = 2;

interface Row extends Partial<Claim> {
  delivery: string;
  status: string | null;
  wantedType: string | null;
  /** Whether that is a type of this worker's. */
  isOwn: boolean | null;
  delayMs: number | null;
  wantedQueue: string | null;
  reach: string | null;
  unseenMs: number | null;
  isAlive: boolean;
}

/**
 * pending → processing, for those deliveries whose job is pending, due and of one of the types, and for whom there is
 * room if they were lost before. Starts the attempt and writes its first log line. Of several deliveries of one job
 * exactly one is claimed. Answers in order.
 */
export async function claimJobs(
  hot: HotDb,
  worker: { id: string; types: readonly string[]; leaseMs: number; capacity: CrashCapacity },
  deliveries: readonly Delivery[],
): Promise<ClaimAnswer[]> {
  const sorted = [...deliveries].sort((a, b) => (a.key < b.key ? -1 : 1));
  const rows = await retryDeadlocks(
    () => hot.query<Row>`
      WITH t AS MATERIALIZED (
        SELECT date_trunc('milliseconds', clock_timestamp()) AS now,
          EXISTS (SELECT 1 FROM workers WHERE id = ${worker.id}::uuid) AS alive),
      d AS MATERIALIZED (
        SELECT * FROM unnest(${sorted.map((d) => d.key)}::uuid[], ${sorted.map((d) => d.token)}::uuid[]) AS d(key, token)),
      -- Read only if one of the jobs was lost before.
      lost AS MATERIALIZED (
        SELECT q.key, q.alone, row_number() OVER (PARTITION BY q.alone ORDER BY q.key) AS nth
        FROM d, LATERAL (
          SELECT key, losses >= ${ISOLATE_AFTER_CRASHES} AS alone FROM jobs
          WHERE key = d.key AND losses > 0 AND status::text = 'pending' OFFSET 0) AS q),
      c AS (
        UPDATE jobs j SET status = 'processing', place = 'enqueued', attempt = j.attempt + 1,
          -- The feeder adds a waiting job under its next number and leaves the row alone.
          enqueue_seq = CASE j.place WHEN 'waiting' THEN j.enqueue_seq + 1 ELSE j.enqueue_seq END, claim_token = d.token,
          worker_id = ${worker.id}::uuid, started_at = t.now, duration_ms = NULL, updated_at = t.now
        FROM d, t
        WHERE j.key = d.key AND j.status::text = 'pending' AND j.run_at <= t.now AND t.alive AND array_position(${worker.types}::text[], j.type) IS NOT NULL
          AND (j.losses = 0 OR j.key = ANY ((SELECT array_agg(key) FROM lost
            WHERE nth <= CASE WHEN alone THEN ${worker.capacity.isolated}::int ELSE ${worker.capacity.crashedOnce}::int END)::uuid[]))
        RETURNING j.key, d.token, j.org_id, j.type, j.queue, j.enqueue_seq, octet_length(j.payload::text) AS payload_bytes,
          CASE WHEN octet_length(j.payload::text) <= ${LARGE_PAYLOAD_BYTES}::int THEN j.payload::text END AS payload, j.attempt, j.retries, j.max_retries,
          j.losses, j.started_at, j.traceparent),
      l AS (
        INSERT INTO job_logs (job_key, org_id, attempt, kind, level, at, status)
        SELECT key, org_id, attempt, 'started', 'info', started_at, 'processing' FROM c)
      SELECT d.token AS delivery, t.alive AS "isAlive", c.key, c.token, c.org_id AS "orgId", c.type, c.queue, c.enqueue_seq AS seq, c.payload,
        c.payload_bytes AS "payloadBytes", c.attempt, c.retries,
        c.max_retries AS "maxRetries", coalesce(c.losses, j.losses) AS "crashCount", c.started_at AS "startedAt", c.traceparent,
        j.status::text AS status, j.type AS "wantedType", j.queue AS "wantedQueue",
        array_position(${worker.types}::text[], j.type) IS NOT NULL AS "isOwn",
        ceil(extract(epoch FROM j.run_at - t.now) * 1000)::float8 AS "delayMs",
        CASE WHEN array_position(${worker.types}::text[], j.type) IS NULL THEN (
          SELECT CASE WHEN bool_or(j.queue = ANY(w.queues)) THEN j.queue
            ELSE max(w.type_queues[array_position(w.types, j.type)]) END
          FROM workers w
          WHERE j.type = ANY(w.types) AND w.heartbeat_at > t.now - ${worker.leaseMs} * interval '1 ms') END AS reach,
        CASE WHEN array_position(${worker.types}::text[], j.type) IS NULL THEN (
          SELECT extract(epoch FROM t.now - k.last_seen_at) * 1000 FROM job_types k WHERE k.type = j.type)
        END::float8 AS "unseenMs"
      FROM t, d LEFT JOIN c ON c.token = d.token LEFT JOIN LATERAL (
        SELECT * FROM jobs WHERE key = CASE WHEN c.key IS NULL THEN d.key END OFFSET 0) AS j ON true`,
  );
  const byDelivery = new Map(rows.map((row) => [row.delivery, row]));
  return deliveries.map((delivery) => toAnswer(byDelivery.get(delivery.token), worker.id));
}

function toAnswer(row: Row | undefined, workerId: string): ClaimAnswer {
  if (row?.key) {
    // The cast: `key` comes from the UPDATE, and with it every other column of a claim.
    const claim = row as Claim;
    return { kind: 'claimed', claim };
  }
  if (row?.isAlive === false) return { kind: 'worker-dead', workerId };
  if (row?.status !== 'pending') return { kind: 'gone' };
  if (row.delayMs !== null && row.delayMs > 0) return { kind: 'early', delayMs: row.delayMs };
  if (!row.isOwn && row.wantedType !== null && row.wantedQueue !== null) {
    return {
      kind: 'unhandled',
      type: row.wantedType,
      queue: row.wantedQueue,
      reach: row.reach,
      unseenMs: row.unseenMs,
    };
  }
  if (row.crashCount) return { kind: 'crash-limit' };
  // Pending and due when the statement began, yet not claimed: a concurrent delivery was quicker.
  return { kind: 'gone' };
}

/** The payload of a job that is claimed under this token; null: the job is no longer. */
export async function readPayload(db: DbSession, { key, token }: Delivery): Promise<string | null> {
  const [row] = await db.$queryRaw<{ payload: string }[]>`
    SELECT payload::text AS payload FROM jobs
    WHERE key = ${key}::uuid AND claim_token = ${token}::uuid AND status::text = 'processing'`;
  return row?.payload ?? null;
}

/**
 * pending → failed with `no_handler`, as attempt 1 of which the warning is the only line. Uses up no retry.
 * Only while still pending; answers with those that it failed.
 */
export async function failUnhandled(
  db: DbSession,
  jobs: readonly { key: JobKey; message: string }[],
): Promise<{ key: JobKey; orgId: OrgId }[]> {
  const sorted = [...jobs].sort((a, b) => (a.key < b.key ? -1 : 1));
  return retryDeadlocks(
    () => db.$queryRaw<{ key: JobKey; orgId: OrgId }[]>`
      WITH t AS MATERIALIZED (SELECT date_trunc('milliseconds', clock_timestamp()) AS now),
      f AS (
        UPDATE jobs j SET status = 'failed', attempt = j.attempt + 1, error_code = 'no_handler', error_message = n.message,
          -- The number of the entry that brought it: a retry by hand gets another.
          enqueue_seq = j.enqueue_seq + (j.place = 'waiting')::int,
          started_at = t.now, duration_ms = 0, finished_at = t.now, updated_at = t.now
        FROM t, unnest(${sorted.map((j) => j.key)}::uuid[], ${sorted.map((j) => j.message)}::text[]) AS n(key, message)
        WHERE j.key = n.key AND j.status::text = 'pending'
        RETURNING j.key, j.org_id, j.attempt, n.message, t.now)
      , l AS (
        INSERT INTO job_logs (job_key, org_id, attempt, kind, level, message, at, status, duration_ms, error_code)
        SELECT key, org_id, attempt, 'failed', 'warn', message, now, 'failed', 0, 'no_handler' FROM f)
      SELECT key, org_id AS "orgId" FROM f`,
  );
}
