import type { JobKey, OrgId } from '@jobline/contracts';
import type { Db, DbSession, HotDb } from '@jobline/db';
import {
  claimJobs,
  type Delivery,
  failWaiting,
  hasUnsettled,
  type InsertedRequest,
  insertJobsIn,
  insertRequest,
  type NewJob,
  recordResults,
  retryAllFailed,
  retryFailed,
  settleNext,
} from '@jobline/db/job-transitions';
import { newId } from '@jobline/runtime';
import { expect } from 'vitest';
import { until } from '../harness/index.js';

// The cast: ids are branded only in our types.
export const orgId = newId() as OrgId;
const WORKER = { id: newId(), types: ['a', 'mobile_money_stk'], leaseMs: 60_000 };
const CAPACITY = { crashedOnce: 0, isolated: 0 };
/** A transaction of a test may wait for other statements on a slow machine. */
const LIMITS = { maxWait: 60_000, timeout: 60_000 };

type After = readonly (string | { id: string; when?: 'done' | 'ended' | 'paid'; refers?: boolean })[];
type More = Partial<Pick<NewJob, 'type' | 'runAt' | 'expiresAt'>>;

export function newJob(id: string, after: After = [], more: More = {}): NewJob {
  const conditions = after.map((one) => ({
    ...{ when: 'done' as const, refers: false },
    ...(typeof one === 'string' ? { id: one } : one),
  }));
  return {
    ...{ key: newId() as JobKey, orgId, id, type: 'a', queue: 'io', payload: '{}', contentHash: null, priority: 0 },
    ...{ maxRetries: 0, runAt: null, traceparent: null, hasCapacity: false, after: conditions },
    ...more,
  };
}

/** The end of a job's attempt, by the hot path of a transaction or by its own. */
export type End = (hot: HotDb) => Promise<unknown>;

/** What the tests do with jobs that wait for each other, by the ids of the jobs. */
export function waitingJobs(db: Db, hot: HotDb) {
  async function keyOf(id: string): Promise<JobKey> {
    const { key } = await db.submittedJob.findFirstOrThrow({ where: { id } });
    return key as JobKey; // The cast: as above.
  }

  async function deliver(delivery: Delivery): Promise<string | undefined> {
    const [answer] = await claimJobs(hot, { ...WORKER, capacity: CAPACITY }, [delivery]);
    return answer?.kind;
  }

  async function claim(key: JobKey): Promise<Delivery | null> {
    const delivery = { key, token: newId() };
    return (await deliver(delivery)) === 'claimed' ? delivery : null;
  }

  /** Starts jobs, which must be due. The returned function ends all of them in one statement. */
  async function start(ids: readonly string[], status: 'done' | 'failed' = 'done'): Promise<End> {
    const claims: Delivery[] = [];
    for (const id of ids) {
      const claimed = await claim(await keyOf(id));
      expect(claimed, `"${id}" can start`).not.toBeNull();
      if (claimed) claims.push(claimed);
    }
    const failed = { errorCode: 'handler_error', errorMessage: 'no', result: null };
    const end = status === 'done' ? { errorCode: null, errorMessage: null, result: '{}' } : failed;
    const results = claims.map((of) => ({ ...of, ...end, status, countsRetry: false, delayMs: 0, durationMs: 1 }));
    return (own) =>
      recordResults(
        own,
        results.map((one) => ({ ...one, stage: 'waiting', lines: [] })),
      );
  }

  const revive = (tx: DbSession, keys: readonly JobKey[]) =>
    retryAllFailed(tx, keys, 'revived', { code: 'dependency_failed' });

  /** Whether a statement waits for a lock. */
  async function isWaiting(): Promise<boolean> {
    const rows = await db.$queryRaw<unknown[]>`
      SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
    return rows.length > 0;
  }

  return {
    keyOf,
    start,
    async begin(): Promise<void> {
      await db.$executeRaw`
        INSERT INTO workers (id, name, started_at, heartbeat_at) VALUES (${WORKER.id}::uuid, 'w', now(), now())`;
    },
    submit: (...jobs: NewJob[]): Promise<InsertedRequest> =>
      insertRequest(db, orgId, { jobs, mode: 'all', key: null, answersOf: () => [] }),
    submitIn: (tx: DbSession, ...jobs: NewJob[]) => insertJobsIn(tx, jobs),
    /** What becomes of an entry of the job. */
    deliver: async (id: string) => deliver({ key: await keyOf(id), token: newId() }),
    /** Whether the job could start now. Then it is processing. */
    canStart: async (id: string) => (await claim(await keyOf(id))) !== null,
    async run(id: string, status: 'done' | 'failed' = 'done'): Promise<void> {
      await (await start([id], status))(hot);
    },
    async retry(id: string, tx?: DbSession): Promise<boolean> {
      const key = await keyOf(id);
      const work = (session: DbSession) => retryFailed(session, key, false, 'again');
      return (await (tx ? work(tx) : db.$transaction(work, LIMITS))) !== null;
    },
    settleOnce: (): Promise<unknown> => settleNext(db, null, revive),
    /** Settles conditions in a transaction that ends only when `other`, which is started meanwhile, has ended or waits for its locks. */
    async settleMeanwhile(other: () => Promise<unknown>): Promise<void> {
      const begun: Promise<unknown>[] = [];
      await settleNext(db, null, async (tx, keys) => {
        let hasEnded = false;
        begun.push(other().finally(() => (hasEnded = true)));
        await until('the other statement to end or to wait', async () => hasEnded || (await isWaiting()));
        return revive(tx, keys);
      });
      expect(begun).toHaveLength(1);
      await Promise.all(begun);
    },
    async settleConditions(): Promise<void> {
      while (await hasUnsettled(hot)) await this.settleOnce();
    },
    /** What the maintenance of workers does, until nothing is left to do. */
    async settle(): Promise<void> {
      for (let isMore = true; isMore; ) {
        await this.settleConditions();
        const { jobs } = await failWaiting(db, { after: null, limit: 200 }, ['waits in vain for ', '']);
        isMore = jobs.length > 0;
      }
    },
    /** The stage of a pending job, the status of another one, or the error code of a failed one. */
    async stateOf(id: string): Promise<string> {
      const [job] = await db.$queryRaw<{ state: string }[]>`
        SELECT coalesce(error_code, CASE status::text WHEN 'pending' THEN place::text ELSE status::text END) AS state
        FROM jobs WHERE id = ${id}`;
      return job?.state ?? 'gone';
    },
    /** Makes a change in a transaction that ends only when `other`, which was started meanwhile, waits for its lock. */
    async whileWaiting<T>(change: (tx: DbSession) => Promise<unknown>, other: () => Promise<T>): Promise<T> {
      const waiting = await db.$transaction(async (tx) => {
        await change(tx);
        const result = other();
        await until('the other statement to wait', isWaiting);
        return { result };
      }, LIMITS);
      return waiting.result;
    },
    /** Makes a change in a transaction that ends only after `other`, which does not wait for its locks. */
    async meanwhile<T>(change: (tx: DbSession) => Promise<unknown>, other: () => Promise<T>): Promise<T> {
      return db.$transaction(async (tx) => {
        await change(tx);
        return other();
      }, LIMITS);
    },
    /** Contradictions between conditions and the jobs that they are about, once nothing is left to do. */
    async contradictions(): Promise<string[]> {
      const rows = await db.$queryRaw<{ what: string }[]>`
        SELECT format('condition of %s on %s is %s', w.id, c.after_id, c.state) AS what
        FROM job_conditions c JOIN jobs w ON w.key = c.job_key
        WHERE c.state <> 'met' AND c.state <> condition_state(c.after_key, c.until)
        UNION ALL
        SELECT format('%s is %s: %s of its conditions wait, %s have failed', w.id, w.place, s.waiting, s.failed)
        FROM jobs w JOIN (
          SELECT job_key, count(*) FILTER (WHERE state = 'waiting') AS waiting, count(*) FILTER (WHERE state = 'failed') AS failed
          FROM job_conditions GROUP BY job_key) AS s ON s.job_key = w.key
        WHERE w.status = 'pending' AND ((w.place = 'blocked') <> (s.waiting > 0) OR s.failed > 0)
          OR w.status = 'failed' AND w.error_code = 'dependency_failed' AND s.failed = 0`;
      return rows.map(({ what }) => what);
    },
  };
}

/** The hot path inside a transaction. */
export function hotIn(tx: DbSession): HotDb {
  return { query: (statement, ...values) => tx.$queryRaw(statement, ...values), close: async () => undefined };
}
