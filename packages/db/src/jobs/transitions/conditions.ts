import type { JobKey, OrgId } from '@jobline/contracts';
import { Prisma } from '../../generated/client.js';
import type { Db, DbSession } from '../../postgres/client.js';
import { retryDeadlocks } from '../../postgres/errors.js';
import type { HotDb } from '../../postgres/hot.js';
import { FIRST_ID } from '../../postgres/page.js';
import type { NewJob } from '../columns.js';

/*
 * Jobs that wait for other jobs are `blocked`. Triggers of finished_jobs and payments settle conditions in the transaction that
 * ends a job: `prisma/functions/settle_conditions.sql`. What is more than one statement should do is left for `settleNext`.
 */

/** At most so many pending jobs may wait for one job. */
export const MAX_WAITING_FOR_ONE = 1_000;

/** Thrown, because only an exception rolls back the transaction. */
export class ConditionRefused extends Error {
  /** `gone`: the job was deleted meanwhile. `crowded`: too many jobs would wait for it. */
  readonly reason: 'gone' | 'crowded';
  /** The job that `after` names. */
  readonly id: string;

  constructor(reason: 'gone' | 'crowded', id: string) {
    super(`a job cannot wait for "${id}": it is ${reason}`);
    this.reason = reason;
    this.id = id;
  }
}

/**
 * Stores the conditions of new jobs, and settles those that are met or have failed already. Call it at the end of the transaction
 * that has stored the jobs: it locks the jobs that they name. Throws ConditionRefused.
 */
export async function storeConditions(tx: DbSession, jobs: readonly NewJob[]): Promise<void> {
  const entries = jobs.flatMap(({ key, after = [] }) => after.map((condition, n) => ({ key, n, ...condition })));
  if (entries.length === 0) return;
  const stored = await tx.$queryRaw<{ afterKey: JobKey; afterId: string }[]>`
    INSERT INTO job_conditions (job_key, n, org_id, after_key, after_id, until, refers, created_at, id)
    SELECT s.key, n.n, s.org_id, a.key, a.id, n.until, n.refers, s.created_at, s.id
    FROM unnest(${entries.map(({ key }) => key)}::uuid[], ${entries.map(({ n }) => n)}::int[],
      ${entries.map(({ id }) => id)}::text[], ${entries.map(({ when }) => when)}::condition_until[],
      ${entries.map(({ refers }) => refers)}::bool[]) AS n(key, n, after_id, until, refers)
    JOIN submitted_jobs s ON s.key = n.key JOIN submitted_jobs a ON a.org_id = s.org_id AND a.id = n.after_id
    RETURNING after_key AS "afterKey", after_id AS "afterId"`;
  const idOf = new Map(stored.map(({ afterKey, afterId }) => [afterKey, afterId]));
  const found = new Set(idOf.values());
  const gone = entries.find(({ id }) => !found.has(id));
  if (gone) throw new ConditionRefused('gone', gone.id);
  const [refused] = await tx.$queryRaw<[Record<ConditionRefused['reason'], JobKey[]>]>`
    SELECT gone, crowded FROM begin_waiting(${[...idOf.keys()]}::uuid[], ${MAX_WAITING_FOR_ONE}::int)`;
  for (const reason of ['gone', 'crowded'] as const) {
    for (const key of refused[reason]) throw new ConditionRefused(reason, idOf.get(key) ?? key);
  }
}

/** What a job is that `after` may name. */
export interface NamedJob {
  id: string;
  type: string;
}

/** Those of these ids that are jobs of the organization. */
export function listNamedJobs(db: DbSession, orgId: OrgId, ids: readonly string[]): Promise<NamedJob[]> {
  return db.$queryRaw<NamedJob[]>`
    SELECT s.id, s.type FROM unnest(${ids}::text[]) AS i(id)
    JOIN submitted_jobs s ON s.org_id = ${orgId}::uuid AND s.id = i.id`;
}

/** SQL: whether the job with this key still waits for another one. */
export function isBlocked(key: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`EXISTS (SELECT 1 FROM job_conditions c WHERE c.job_key = ${key} AND c.state = 'waiting')`;
}

/** SQL: the conditions `c` of the job with this key because of which it cannot start again, with whether their job is gone. */
export function obstaclesOf(key: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`
    SELECT c.after_id, g.is_gone FROM job_conditions c, LATERAL (
      SELECT NOT EXISTS (SELECT 1 FROM submitted_jobs s WHERE s.key = c.after_key) AS is_gone) AS g
    WHERE c.job_key = ${key} AND (c.state = 'failed' OR c.refers AND g.is_gone) ORDER BY c.n`;
}

/** Whether conditions are left to settle. Usually none are. */
export async function hasUnsettled(hot: HotDb): Promise<boolean> {
  const [row] = await hot.query<{ isDue: boolean }>`SELECT EXISTS (SELECT 1 FROM unsettled_jobs) AS "isDue"`;
  return row?.isDue ?? false;
}

/** Conditions that one transaction settles, and the jobs that they name. */
const MAX_SETTLED = 1_000;
const MAX_NAMED = 100;
/** Time limits of the transaction: for its wait for a connection, and for its duration. */
const LIMITS = { maxWait: 5_000, timeout: 15_000 };

/** A job whose conditions were settled, and the jobs that are pending again because of it. */
export interface Settled<Revived> {
  orgId: OrgId;
  revived: readonly Revived[];
}

/**
 * Settles conditions on the next jobs that have some left, of the first organization after `after`. Jobs that had failed because of
 * them are pending again: `revive` is called with those that may be. Null: no organization follows.
 */
export function settleNext<Revived>(
  db: Db,
  after: OrgId | null,
  revive: (tx: DbSession, keys: readonly JobKey[]) => Promise<readonly Revived[]>,
): Promise<Settled<Revived> | null> {
  return retryDeadlocks(() =>
    db.$transaction(async (tx) => {
      // Locked: what another transaction marks meanwhile waits for the end of this one.
      const next = await tx.$queryRaw<{ key: JobKey; orgId: OrgId }[]>`
        SELECT key, org_id AS "orgId" FROM unsettled_jobs WHERE org_id = (
          SELECT org_id FROM unsettled_jobs WHERE org_id > ${after ?? FIRST_ID}::uuid
          ORDER BY org_id, key LIMIT 1 FOR UPDATE SKIP LOCKED)
        ORDER BY key LIMIT ${MAX_NAMED}::int FOR UPDATE SKIP LOCKED`;
      const [first] = next;
      if (!first) return null;
      const keys = next.map(({ key }) => key);
      // A live job ends before this, or after it has settled the conditions. One that just ends or starts is left to a later call.
      const settled = await tx.$queryRaw<{ key: JobKey }[]>`
        WITH l AS MATERIALIZED (
          SELECT key FROM live_jobs WHERE key = ANY (${keys}::uuid[]) ORDER BY key FOR NO KEY UPDATE SKIP LOCKED)
        DELETE FROM unsettled_jobs u WHERE u.key = ANY (${keys}::uuid[])
          AND (u.key IN (SELECT key FROM l) OR NOT EXISTS (SELECT 1 FROM live_jobs j WHERE j.key = u.key))
        RETURNING u.key`;
      const [{ ended }] = await tx.$queryRaw<[{ ended: JobKey[] }]>`
        SELECT settle_conditions(${settled.map(({ key }) => key)}::uuid[], ${MAX_SETTLED}::int, true) AS ended`;
      return { orgId: first.orgId, revived: ended.length === 0 ? [] : await revive(tx, ended) };
    }, LIMITS),
  );
}
