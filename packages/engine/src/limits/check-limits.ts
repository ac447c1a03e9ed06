import type { JobKey, OrgId, WaitingFor } from '@jobline/contracts';
import {
  type Db,
  type DbSession,
  findPending,
  type LimitedJob,
  type LimitRule,
  type LimitState,
  listOrderedHeads,
  listRates,
  type OrderedHead,
  readLimitState,
  saveProbes,
  saveRates,
} from '@jobline/db';
import type { Decision, HeldJob, HeldState } from '@jobline/db/job-transitions';
import { createLimits, isUnder, type Limits, ORG_LIMIT, ratesOf } from './limits.js';
import { readReceivers } from './receivers.js';

/**
 * Reads what else decides whether these jobs may start now. `nowMs`: the time of the decision, by the database's clock. Each
 * returned function call gives limits in which no job has started.
 */
async function readLimits(
  db: DbSession,
  jobs: readonly LimitedJob[],
  { rules, running, rates: ofOrgs, nowMs }: LimitState & { nowMs: number },
): Promise<() => Limits> {
  const rates = [...ofOrgs, ...(await listRates(db, ratesOf(rules, jobs)))];
  const isCareful = await readReceivers(db, jobs);
  return () => createLimits({ rules, running, rates, isCareful, nowMs });
}

/** The first job of each key under each ordered limit. */
export interface Heads {
  /** The first job of this job's key, for each ordered limit that applies to it. It may be this job. */
  of(job: LimitedJob): OrderedHead[];
  /** Whether all ordered limits of a job have it as the first of its key. */
  isFirst(job: LimitedJob & { key: JobKey }): boolean;
}

/** Reads the first jobs of the keys of these jobs, as far as ordered limits apply to them. */
export async function readHeads(
  db: DbSession,
  rules: readonly LimitRule[],
  jobs: readonly LimitedJob[],
): Promise<Heads> {
  const ordered = rules.filter((rule) => rule.ordered);
  const rulesOf = (job: LimitedJob) => ordered.filter((rule) => rule.orgId === job.orgId && isUnder(rule, job));
  const wanted = new Map(
    jobs.flatMap((job) =>
      rulesOf(job).map(({ orgId, name }): [string, { orgId: OrgId; name: string; limitKey: string }] => [
        headId(orgId, name, job.limitKey),
        { orgId, name, limitKey: job.limitKey },
      ]),
    ),
  );
  const rows = wanted.size === 0 ? [] : await listOrderedHeads(db, [...wanted.values()]);
  const heads = new Map(rows.map((head) => [headId(head.orgId, head.name, head.limitKey), head]));
  const of = (job: LimitedJob) =>
    rulesOf(job).flatMap(({ orgId, name }) => heads.get(headId(orgId, name, job.limitKey)) ?? []);
  return { of, isFirst: (job) => of(job).every(({ key, isSure }) => isSure && key === job.key) };
}

function headId(orgId: OrgId, name: string, limitKey: string): string {
  return `${orgId} ${name} ${limitKey}`;
}

/**
 * Decides which of these held jobs may start now, in their order, as far as their lanes have turns. Call it while no other start of
 * their organizations can be decided.
 */
export async function startHeld(tx: DbSession, { held, turns, ...found }: HeldState): Promise<Decision> {
  if (held.length === 0) return { keys: [], saveStarts: async () => undefined };
  const newLimits = await readLimits(tx, held, found);
  const heads = await readHeads(tx, found.rules, held);
  const limits = newLimits();
  const allowed: HeldJob[] = [];
  const left = new Map(turns);
  for (const job of held) {
    const turn = left.get(job.lane) ?? 0;
    if (turn === 0 || !heads.isFirst(job) || limits.blockedBy(job)) continue;
    left.set(job.lane, turn - 1);
    limits.start(job);
    allowed.push(job);
  }
  return {
    keys: allowed.map(({ key }) => key),
    async saveStarts(started) {
      const used = newLimits();
      for (const job of allowed) if (started.has(job.key)) used.start(job);
      await saveRates(tx, used.changedRates());
      await saveProbes(tx, used.probed(), found.nowMs);
    },
  };
}

/** What an organization's pending job waits for. Null: it is about to start. Undefined: it is not pending. */
export type FindWaitingFor = (orgId: OrgId, id: string) => Promise<WaitingFor | null | undefined>;

export function createFindWaitingFor({ db, leaseMs }: { db: Db; leaseMs: number }): FindWaitingFor {
  return async (orgId, id) => {
    const job = await findPending(db, orgId, id, leaseMs);
    if (!job) return undefined;
    if (job.afterId !== null) return `job:${job.afterId}`;
    if (job.isEarly) return job.isRetry ? 'retry' : 'run_at';
    const state = await readLimitState(db, [orgId], [job]);
    const newLimits = await readLimits(db, [job], { ...state, nowMs: job.nowMs });
    const blocked = newLimits().waitsFor(job);
    const behind = (await readHeads(db, state.rules, [job]))
      .of(job)
      .filter(({ key, isSure }) => !isSure || key !== job.key);
    const names = [...blocked, ...behind.map(({ name }) => name)];
    const [first] = names.filter((name) => name !== ORG_LIMIT).sort();
    if (first !== undefined) return `limit:${first}`;
    if (names.includes(ORG_LIMIT)) return 'org_limit';
    if (job.slots === 0) return 'worker';
    return job.stage === 'waiting' || job.running >= job.slots ? 'queue' : null;
  };
}
