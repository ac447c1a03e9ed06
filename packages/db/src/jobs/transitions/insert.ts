import type { JobKey, JobStatus, OrgId } from '@jobline/contracts';
import { Prisma } from '../../generated/client.js';
import {
  correctJobsKey,
  type IdempotencyKey,
  isSameContent,
  type JobAnswer,
  type UsedKey,
  useJobsKey,
} from '../../idempotency.js';
import type { Db, DbSession } from '../../postgres/client.js';
import { isLockTimeout, retryDeadlocks } from '../../postgres/errors.js';
import type { HotDb } from '../../postgres/hot.js';
import { limitStatements } from '../../postgres/transactions.js';
import { type NewJob, RARE_COLUMNS, RARE_NAMES, rareValues } from '../columns.js';
import { ConditionRefused, storeConditions } from './conditions.js';

export interface InsertedJob {
  key: JobKey;
  stage: PendingStage;
  /** The caller adds the job to its queue now, as its first entry: it is enqueued, or held and no other held job comes before it. */
  isAdded: boolean;
  /** Of a held job; null: it is not held. */
  lane: string | null;
}

/** A job that has, or gets, an entry in its queue. */
export interface Enqueueable {
  key: JobKey;
  queue: string;
  /** `enqueue_seq`: how many times the key has been added. */
  seq: number;
}

/** The stage of a pending job. */
export type PendingStage = 'scheduled' | 'waiting' | 'enqueued' | 'held' | 'blocked' | 'failing';

/**
 * Stores jobs as pending: blocked if they wait for other jobs; held if they are under a limit; scheduled if they are not due (unless their limit is
 * ordered); enqueued if their queue has capacity; else waiting. Reads no other jobs: whether some wait is known without
 * a read of their index, which an old snapshot makes slow. Returns the jobs that were stored: a job whose id its
 * organization already uses, or whose key is stored already, is skipped. It waits for another transaction that is
 * storing one of the ids, for `lockTimeoutMs` at most (0: without a limit); then nothing is stored, and `isLockTimeout`
 * recognizes the error. Triggers: a job with tags writes a row for each (`write_job_tags.sql`), and a held job its lane
 * (`wake_limit_lanes.sql`).
 */
export function insertJobs(hot: HotDb, jobs: readonly NewJob[], lockTimeoutMs = 0): Promise<InsertedJob[]> {
  return retryDeadlocks(() => insertWith(hot.query, jobs, lockTimeoutMs));
}

/** A transaction that waits longer ends and releases its locks, for which others may wait. */
const LOCK_TIMEOUT_MS = 1_000;
/** A request may have a thousand jobs and many megabytes. */
const STATEMENT_TIMEOUT_MS = 10_000;
/** Time limits of a transaction: for its wait for a connection, and for its duration. */
const LIMITS = { maxWait: 5_000, timeout: 15_000 };

/**
 * Like insertJobs, in a transaction, with the conditions of the jobs. Throws ConditionRefused. A deadlock ends the transaction, so its owner must run it again from the
 * beginning. It waits for each lock for a second at most.
 */
export async function insertJobsIn(tx: DbSession, jobs: readonly NewJob[]): Promise<InsertedJob[]> {
  if (jobs.length === 0) return [];
  const inserted = await insertWith(
    (statement, ...values) => tx.$queryRaw(statement, ...values),
    jobs,
    LOCK_TIMEOUT_MS,
  );
  if (jobs.some(({ after }) => after?.length)) {
    const isInserted = new Set(inserted.map(({ key }) => key));
    await storeConditions(
      tx,
      jobs.filter(({ key }) => isInserted.has(key)),
    );
  }
  return inserted;
}

/** SQL: the rows of what the new jobs are about. Only some types are about something. */
const ABOUTS = Prisma.sql`,
    a AS (
      INSERT INTO job_abouts SELECT p.org_id, about, t.now, p.id, p.key
      FROM s JOIN p ON p.key = s.key, t, unnest(p.abouts::text[]) AS about)`;

function insertWith(query: HotDb['query'], jobs: readonly NewJob[], lockTimeoutMs: number): Promise<InsertedJob[]> {
  const column = <K extends keyof NewJob>(name: K) => jobs.map((job) => job[name]);
  const { submitted, live } = RARE_COLUMNS;
  const orgIds = [...new Set(column('orgId'))];
  return query<InsertedJob>`
    WITH t AS MATERIALIZED (
      -- Only for this transaction, and before its first row is written: every row needs the time.
      SELECT date_trunc('milliseconds', now()) AS now, set_config('lock_timeout', ${`${lockTimeoutMs}`}, true)),
    n AS MATERIALIZED (
      SELECT * FROM ROWS FROM (
          unnest(${column('key')}::uuid[], ${column('orgId')}::uuid[], ${column('id')}::text[],
            ${column('type')}::text[], ${column('queue')}::text[],
            ${column('contentHash')}::bytea[], ${column('priority')}::int[], ${column('maxRetries')}::int[],
            ${jobs.map((job) => job.runAt?.toISOString() ?? null)}::timestamptz[], ${column('hasCapacity')}::bool[],
            ${column('traceparent')}::text[], ${rareValues(jobs)}),
          -- One JSON document: the text of an array escapes every quote of JSON, which makes it four times as large.
          json_array_elements(${`[${column('payload').join(',')}]`}::json))
        AS n(key, org_id, id, type, queue, content_hash, priority, max_retries, run_at, has_capacity, traceparent,
          ${RARE_NAMES}, payload)),
    p AS MATERIALIZED (
      SELECT n.*, (CASE
        WHEN n.refers IS NOT NULL THEN 'blocked'
        -- The first two conditions are checked once, and usually end the search.
        WHEN (EXISTS (SELECT 1 FROM operator_limits) OR EXISTS (SELECT 1 FROM limits WHERE org_id = ANY (${orgIds}::uuid[])))
          AND under_limit(n.org_id, n.limit_name, n.type) THEN CASE
            WHEN n.run_at > t.now AND NOT under_ordered_limit(n.org_id, n.limit_name, n.type) THEN 'scheduled'
            ELSE 'held' END
        WHEN n.run_at > t.now THEN 'scheduled'
        WHEN n.has_capacity THEN 'enqueued'
        ELSE 'waiting' END)::job_place AS place
      FROM n, t),
    s AS (
      INSERT INTO submitted_jobs (key, org_id, id, type, payload, content_hash, priority, max_retries, traceparent, created_at,
        ${submitted.names})
      SELECT p.key, p.org_id, p.id, p.type, p.payload, p.content_hash, p.priority, p.max_retries, p.traceparent, t.now,
        ${submitted.values}
      FROM p, t ORDER BY p.org_id, p.id
      ON CONFLICT DO NOTHING
      RETURNING key)${jobs.some(({ abouts }) => abouts?.length) ? ABOUTS : Prisma.empty}
    INSERT INTO live_jobs (key, org_id, id, type, queue, priority, max_retries, run_at, place, enqueue_seq, enqueued_at,
      created_at, updated_at, ${live.names})
    SELECT p.key, p.org_id, p.id, p.type, p.queue, p.priority, p.max_retries, greatest(p.run_at, t.now), p.place,
      (p.place = 'enqueued')::int, CASE p.place
        WHEN 'enqueued' THEN t.now
        WHEN 'held' THEN CASE WHEN p.has_capacity AND (p.run_at IS NULL OR p.run_at <= t.now)
          AND NOT has_held_before(p.org_id, p.queue, p.type, p.limit_name, p.limit_key) THEN t.now END END,
      t.now, t.now, ${live.values}
    FROM s JOIN p ON p.key = s.key, t
    RETURNING key, place AS stage, enqueued_at IS NOT NULL AS "isAdded",
      CASE place WHEN 'held' THEN lane_of(org_id, queue, type, limit_name, limit_key) END AS lane`;
}

export interface SubmittedRow {
  key: JobKey;
  orgId: OrgId;
  id: string;
  status: JobStatus;
  contentHash: Uint8Array | null;
}

/** The jobs that organizations already have under these ids. */
export function findSubmitted(db: DbSession, ids: readonly { orgId: OrgId; id: string }[]): Promise<SubmittedRow[]> {
  return db.$queryRaw<SubmittedRow[]>`
    SELECT j.key, j.org_id AS "orgId", j.id, j.status, j.content_hash AS "contentHash"
    FROM unnest(${ids.map((i) => i.orgId)}::uuid[], ${ids.map((i) => i.id)}::text[]) AS i(org_id, id)
    JOIN jobs j ON j.org_id = i.org_id AND j.id = i.id`;
}

/** A request of an organization that stores jobs in one transaction. */
export interface JobsRequest {
  /** Their ids differ. */
  jobs: readonly NewJob[];
  /** `all`: nothing is stored if the id of one job is taken. `each`: those jobs are stored whose ids are not. */
  mode: 'all' | 'each';
  key: IdempotencyKey | null;
  /** The complete response, to be stored with the key. Rejected jobs may be part of it. */
  answersOf(found: FoundJobs): JobAnswer[];
}

/** The jobs of a request whose ids were in use. */
export interface FoundJobs {
  /** They are stored already with the same content. */
  existing: readonly SubmittedRow[];
  /** Their ids belong to stored jobs with different content. */
  taken: readonly NewJob[];
}

/**
 * `busy`: another transaction is using the key or one of the ids and takes too long, or has just deleted the job with the
 * id. `refused`: a job cannot wait for a job that it names. `inserted`: the jobs that were stored now; none if an id was taken that must not be.
 */
export type InsertedRequest =
  | ({ kind: 'stored'; inserted: readonly InsertedJob[] } & FoundJobs)
  | UsedKey
  | { kind: 'busy' }
  | { kind: 'refused'; error: ConditionRefused };

/**
 * Stores the jobs of a request and uses its key, or does nothing. Jobs that are stored already with the same content count as
 * stored. The key comes first: of several transactions with one key, all but the first wait for its end, for a second at
 * most, and then return `busy`; the same applies while others store the same ids. Rows are written in the order of ids, so
 * that transactions that share some wait for each other and do not deadlock.
 */
export async function insertRequest(db: Db, orgId: OrgId, request: JobsRequest): Promise<InsertedRequest> {
  try {
    return await retryDeadlocks(() => db.$transaction((tx) => insertRequestIn(tx, orgId, request), LIMITS));
  } catch (error) {
    if (error instanceof IdsTaken) return { kind: 'stored', inserted: [], existing: [], taken: error.jobs };
    if (error instanceof ConditionRefused) return { kind: 'refused', error };
    if (isLockTimeout(error) || error instanceof IdReleased) return { kind: 'busy' };
    throw error;
  }
}

/** Thrown, because only an exception rolls back the transaction. */
class IdsTaken extends Error {
  constructor(readonly jobs: readonly NewJob[]) {
    super('ids belong to other jobs');
  }
}

/** Thrown, because only an exception rolls back the transaction. */
class IdReleased extends Error {
  constructor() {
    super('the job with an id was deleted after its id was found to be in use');
  }
}

async function insertRequestIn(
  tx: DbSession,
  orgId: OrgId,
  { jobs, mode, key, answersOf }: JobsRequest,
): Promise<InsertedRequest> {
  await limitStatements(tx, { lock: LOCK_TIMEOUT_MS, statement: STATEMENT_TIMEOUT_MS });
  const used = key && (await useJobsKey(tx, orgId, key, answersOf({ existing: [], taken: [] })));
  if (used) return used;
  const inserted = await insertJobsIn(tx, jobs);
  if (inserted.length === jobs.length) return { kind: 'stored', inserted, existing: [], taken: [] };

  const isInserted = new Set(inserted.map((job) => job.key));
  const others = jobs.filter((job) => !isInserted.has(job.key));
  const rows = new Map((await findSubmitted(tx, others)).map((row) => [row.id, row]));
  if (rows.size < others.length) throw new IdReleased();
  const taken = others.filter((job) => !isSameContent(rows.get(job.id)?.contentHash, job.contentHash));
  if (taken.length >= (mode === 'all' ? 1 : jobs.length)) throw new IdsTaken(taken);
  for (const { id } of taken) rows.delete(id);
  const found = { existing: [...rows.values()], taken };
  // The key stands for the jobs that existed before, not for those that would have been created.
  if (key) await correctJobsKey(tx, orgId, key, answersOf(found));
  return { kind: 'stored', inserted, ...found };
}
