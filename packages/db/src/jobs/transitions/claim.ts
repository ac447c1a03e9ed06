import type { JobKey, OrgId } from '@jobline/contracts';
import { Prisma } from '../../generated/client.js';
import type { DbSession } from '../../postgres/client.js';
import { retryDeadlocks } from '../../postgres/errors.js';
import type { HotDb } from '../../postgres/hot.js';
import type { ClaimedJob } from '../columns.js';
import type { PendingStage } from './insert.js';
import { isForOther, reachOf, UNSEEN_MS } from './reach.js';

/** One delivery of a job's key by its queue. Each delivery has its own token. */
export interface Delivery {
  key: JobKey;
  token: string;
}

/** The right to run one attempt of a job. */
export interface Claim extends ClaimedJob {
  key: JobKey;
  /** Only the holder of the job's latest token may write anything about its attempt. */
  token: string;
  orgId: OrgId;
  type: string;
  queue: string;
  /** `enqueue_seq` of the entry that was claimed, or of a later one. */
  seq: number;
  /** JSON text; null: it is larger than LARGE_PAYLOAD_BYTES or was changed, and `readPayload` reads it. */
  payload: string | null;
  payloadBytes: number;
  attempt: number;
  retries: number;
  maxRetries: number;
  /**
   * Crash count: how many workers died with the job, minus the retries of attempts that failed while their worker
   * lived.
   */
  crashCount: number;
  /** The span of the submission; null: it was not traced. */
  traceparent: string | null;
  /** Start of the attempt, by the database's clock. */
  startedAt: Date;
  /** A failure at or after this time is not retried. */
  expiresAt: Date | null;
  /** Whether the job was held, so that others may wait for its end. */
  wasHeld: boolean;
  /** Null: the job has no key. */
  limitKey: string | null;
  /** Whether its payload refers to results of other jobs. Null: it was submitted without `after`. */
  refers: boolean | null;
}

/**
 * A job that a worker cannot run. `reach`: the queue of a live worker that has a handler; null: there is none. `unseenMs`: how long
 * ago a worker last had one; null: no worker ever had.
 */
export interface Unhandled {
  type: string;
  queue: string;
  reach: string | null;
  unseenMs: number | null;
}

export type ClaimAnswer =
  | { kind: 'claimed'; claim: Claim }
  /**
   * There is no such job, it has expired, or it is not pending: another delivery has claimed it, or it is finished. Or it
   * is not due and gets another entry when it is.
   */
  | { kind: 'gone' }
  /** The job is not due for another `delayMs`. */
  | { kind: 'early'; delayMs: number }
  /** The job crashed workers before, and this worker has no capacity for another such job now. */
  | { kind: 'crash-limit' }
  /** This worker has no handler for the type, or its schema has refused the payload. */
  | ({ kind: 'unhandled' } & Unhandled)
  /** The job is under a limit: only `claimHeld` may claim it. */
  | { kind: 'held' }
  /** The job is under a limit, and another transaction decides about its organization now. */
  | { kind: 'locked' }
  /** The worker itself was declared dead: it may claim nothing under this identity. */
  | { kind: 'worker-dead'; workerId: string };

/**
 * How many jobs that crashed workers before may be claimed now: those that crashed one worker, and those that crashed
 * more.
 */
export interface CrashCapacity {
  crashedOnce: number;
  isolated: number;
}

/**
 * How long a claim waits for the row of a job that another transaction changes. Then the statement fails with a lock timeout, so that
 * the other jobs can be claimed without it.
 */
export const CLAIM_LOCK_MS = 250;

/** Larger payloads are not read with the claim, because one statement claims hundreds of jobs. */
const LARGE_PAYLOAD_BYTES = 16 * 1024;

/** A job that has crashed this many workers runs in an isolated process. */
export const ISOLATE_AFTER_CRASHES = 2;

interface Row extends Partial<Claim> {
  delivery: string;
  status: string | null;
  wantedType: string | null;
  /** Whether the type is one of this worker's types, and the job is not left to a worker with another schema. */
  isOwn: boolean | null;
  isExpired: boolean | null;
  delayMs: number | null;
  /** The stage of a pending job. */
  stage: PendingStage | null;
  /** Whether a waiting or enqueued job is under a limit. */
  isLimited: boolean | null;
  wantedQueue: string | null;
  reach: string | null;
  unseenMs: number | null;
  isAlive: boolean;
}

/** The worker that claims jobs. */
export interface Claimer {
  id: string;
  types: readonly string[];
  leaseMs: number;
  capacity: CrashCapacity;
}

/** The held jobs that their limits allow to start, and the time of this decision, which becomes the start of their attempts. */
export interface AllowedStarts {
  keys: readonly JobKey[];
  at: Date;
}

/**
 * pending → processing, for those deliveries whose job is enqueued or waiting, under no limit, due, not expired and of
 * one of the types; jobs that crashed workers before also need capacity. Starts the attempt and writes its first log line. Of
 * several deliveries of one job exactly one gets the claim. Returns the results in the order of the deliveries. No trigger
 * writes anything: the lane of a job that was held changes when the dispatcher looks at it next.
 */
export async function claimJobs(hot: HotDb, worker: Claimer, deliveries: readonly Delivery[]): Promise<ClaimAnswer[]> {
  const delivered = sourceOf(deliveries);
  const rows = await retryDeadlocks(() => hot.query<Row>`${claimStatement(worker, delivered)} ${answers(worker)}`);
  return toAnswers(worker, deliveries, rows);
}

/** Like claimJobs, in a transaction that has decided which held jobs may start. */
export async function claimJobsIn(
  tx: DbSession,
  worker: Claimer,
  deliveries: readonly Delivery[],
  allowed: AllowedStarts,
): Promise<ClaimAnswer[]> {
  const statement = claimStatement(worker, sourceOf(deliveries), allowed);
  return toAnswers(worker, deliveries, await tx.$queryRaw<Row[]>`${statement} ${answers(worker)}`, allowed);
}

/** SQL: the delivered jobs, in the order of their keys. */
function sourceOf(deliveries: readonly Delivery[]): Prisma.Sql {
  const sorted = [...deliveries].sort((a, b) => (a.key < b.key ? -1 : 1));
  return Prisma.sql`SELECT * FROM
    unnest(${sorted.map(({ key }) => key)}::uuid[], ${sorted.map(({ token }) => token)}::uuid[]) AS d(key, token)`;
}

/**
 * SQL: the CTEs of a statement that claims jobs. `source` selects the keys of jobs that may be claimed, each with a token. `t` is the
 * time and whether the worker is alive, `d` is `source`, and `c` are the claims.
 */
export function claimStatement(worker: Claimer, source: Prisma.Sql, allowed: AllowedStarts | null = null): Prisma.Sql {
  const { id, types, capacity } = worker;
  const keys = allowed?.keys ?? [];
  return Prisma.sql`
      WITH t AS MATERIALIZED (
        SELECT date_trunc('milliseconds', coalesce(${allowed?.at.toISOString() ?? null}::timestamptz, clock_timestamp())) AS now,
          EXISTS (SELECT 1 FROM workers WHERE id = ${id}::uuid) AS alive,
          (SELECT version FROM workers WHERE id = ${id}::uuid) AS version,
          set_config('lock_timeout', ${`${CLAIM_LOCK_MS}`}, true)),
      d AS MATERIALIZED (${source}),
      -- Read only if one of the jobs crashed a worker before.
      lost AS MATERIALIZED (
        SELECT q.key, q.alone, row_number() OVER (PARTITION BY q.alone ORDER BY q.key) AS nth
        FROM d, LATERAL (
          SELECT key, crash_count >= ${ISOLATE_AFTER_CRASHES} AS alone FROM live_jobs
          WHERE key = d.key AND crash_count > 0 AND status::text = 'pending' OFFSET 0) AS q),
      c AS (
        UPDATE live_jobs j SET status = 'processing', place = 'enqueued', attempt = j.attempt + 1,
          -- A waiting or held job gets the number that an entry of it would have.
          enqueue_seq = j.enqueue_seq + (j.place IN ('waiting', 'held'))::int, claim_token = d.token,
          worker_id = ${id}::uuid, started_at = t.now, duration_ms = NULL, updated_at = t.now, worker_version = t.version
        FROM d, t
        WHERE j.key = ANY ((SELECT array_agg(key) FROM d)::uuid[]) AND j.key = d.key AND j.status::text = 'pending'
          AND j.run_at <= t.now AND t.alive AND (j.expires_at IS NULL OR j.expires_at > t.now)
          -- A limit may be newer than the entry of the job, and than the statement that wrote its stage. The last conditions are
          -- those of under_limit, whose call for each job would make these claims a quarter slower.
          AND (j.key = ANY (${keys}::uuid[])
            OR j.place IN ('enqueued', 'waiting') AND NOT EXISTS (SELECT 1 FROM operator_limits)
              AND NOT EXISTS (SELECT 1 FROM limit_types WHERE org_id = j.org_id AND type = j.type)
              AND NOT EXISTS (SELECT 1 FROM limits WHERE org_id = j.org_id AND name = j.limit_name))
          AND array_position(${types}::text[], j.type) IS NOT NULL AND NOT ${isForOther(worker)}
          AND (j.crash_count = 0 OR j.key = ANY ((SELECT array_agg(key) FROM lost
            WHERE nth <= CASE WHEN alone THEN ${capacity.isolated}::int ELSE ${capacity.crashedOnce}::int END)::uuid[]))
        RETURNING j.key, d.token, j.org_id, j.type, j.queue, j.enqueue_seq AS seq, j.attempt, j.retries, j.max_retries, j.crash_count,
          j.started_at, j.expires_at, j.changed_payload_bytes, j.key = ANY (${keys}::uuid[]) AS was_held, j.limit_key, j.refers,
          j.id, j.tags, j.priority,
          j.created_at, j.run_at),
      l AS (
        INSERT INTO job_logs (job_key, org_id, attempt, kind, level, at, status, worker_name, worker_version)
        SELECT c.key, c.org_id, c.attempt, 'started', 'info', c.started_at, 'processing', w.name, w.version
        FROM c LEFT JOIN workers w ON w.id = ${id}::uuid AND w.version IS NOT NULL)`;
}

/** SQL: the columns of a claim, from `c` and `s`. */
export const CLAIM_COLUMNS = Prisma.sql`
        c.key, c.token, c.org_id AS "orgId", c.id, c.type, c.queue, c.seq,
        -- This statement may be older than a change that its lock waited for, and would read the payload from before.
        CASE WHEN c.changed_payload_bytes IS NULL AND octet_length(s.payload) <= ${Prisma.raw(`${LARGE_PAYLOAD_BYTES}`)} THEN s.payload
        END AS payload, coalesce(c.changed_payload_bytes, octet_length(s.payload)) AS "payloadBytes", c.attempt, c.retries,
        c.max_retries AS "maxRetries", c.started_at AS "startedAt", c.expires_at AS "expiresAt", c.was_held AS "wasHeld",
        c.limit_key AS "limitKey", c.refers, c.tags, c.created_at AS "createdAt", s.traceparent, s.schedule_id AS "scheduleId",
        s.planned_at AS "plannedAt"`;

/** SQL: joins to the claims `c` what their submissions have stored. */
export const SUBMITTED = Prisma.sql`LEFT JOIN LATERAL (
        SELECT payload::text AS payload, traceparent, schedule_id, planned_at FROM submitted_jobs WHERE key = c.key OFFSET 0) AS s ON true`;

/** SQL: a row for each delivery, with its claim or the reason why there is none. */
function answers(worker: Claimer): Prisma.Sql {
  const { types, leaseMs } = worker;
  return Prisma.sql`
      SELECT d.token AS delivery, t.alive AS "isAlive", ${CLAIM_COLUMNS},
        c.priority, c.run_at AS "runAt", coalesce(c.crash_count, j.crash_count) AS "crashCount", j.status::text AS status, j.place::text AS stage,
        CASE WHEN j.place IN ('waiting', 'enqueued') THEN under_limit(j.org_id, j.limit_name, j.type) END AS "isLimited",
        j.type AS "wantedType", j.queue AS "wantedQueue",
        array_position(${types}::text[], j.type) IS NOT NULL AND NOT ${isForOther(worker)} AS "isOwn", j.expires_at <= t.now AS "isExpired",
        ceil(extract(epoch FROM j.run_at - t.now) * 1000)::float8 AS "delayMs",
        CASE WHEN array_position(${types}::text[], j.type) IS NULL THEN ${reachOf(leaseMs)} ELSE j.queue END AS reach,
        CASE WHEN array_position(${types}::text[], j.type) IS NULL THEN ${UNSEEN_MS} END AS "unseenMs"
      FROM t, d LEFT JOIN c ON c.token = d.token ${SUBMITTED} LEFT JOIN LATERAL (
        SELECT * FROM live_jobs WHERE key = CASE WHEN c.key IS NULL THEN d.key END OFFSET 0) AS j ON true`;
}

function toAnswers(
  { id }: Claimer,
  deliveries: readonly Delivery[],
  rows: readonly Row[],
  allowed: AllowedStarts | null = null,
): ClaimAnswer[] {
  const byDelivery = new Map(rows.map((row) => [row.delivery, row]));
  return deliveries.map(({ key, token }) => toAnswer(byDelivery.get(token), id, allowed?.keys.includes(key) ?? false));
}

/** `isAllowed`: whether the job may start although it is held. */
function toAnswer(row: Row | undefined, workerId: string, isAllowed: boolean): ClaimAnswer {
  if (row?.key) {
    // The cast: `key` comes from the UPDATE, and with it every other column of a claim.
    const claim = row as Claim;
    return { kind: 'claimed', claim };
  }
  if (row?.isAlive === false) return { kind: 'worker-dead', workerId };
  if (row?.status !== 'pending' || row.isExpired) return { kind: 'gone' };
  // The dispatcher looks at its limits when it is due.
  if (row.stage === 'scheduled') return { kind: 'gone' };
  if (row.stage === 'blocked' || row.stage === 'failing') return { kind: 'gone' };
  if (row.delayMs !== null && row.delayMs > 0 && row.stage !== 'held') {
    return row.stage === 'enqueued' ? { kind: 'early', delayMs: row.delayMs } : { kind: 'gone' };
  }
  if (!row.isOwn && row.wantedType !== null && row.wantedQueue !== null) {
    return {
      kind: 'unhandled',
      type: row.wantedType,
      queue: row.wantedQueue,
      reach: row.reach,
      unseenMs: row.unseenMs,
    };
  }
  if ((row.stage === 'held' || row.isLimited) && !isAllowed) return { kind: 'held' };
  if (row.crashCount) return { kind: 'crash-limit' };
  // Pending and due when the statement began, but not claimed: a concurrent delivery was faster.
  return { kind: 'gone' };
}

/** The payload of a job that is claimed under this token; null: the claim is no longer valid. */
export async function readPayload(db: DbSession, { key, token }: Delivery): Promise<string | null> {
  const [row] = await db.$queryRaw<{ payload: string }[]>`
    SELECT s.payload::text AS payload FROM live_jobs j JOIN submitted_jobs s ON s.key = j.key
    WHERE j.key = ${key}::uuid AND j.claim_token = ${token}::uuid AND j.status::text = 'processing'`;
  return row?.payload ?? null;
}
