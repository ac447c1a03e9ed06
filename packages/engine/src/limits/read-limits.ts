import type { JobKey, OrgId } from '@jobline/contracts';
import {
  type DbSession,
  findOrgMaxRunning,
  type LimitedJob,
  type LimitRule,
  listLimitRules,
  listOrderedHeads,
  listRates,
  listRunningCounts,
  type OrderedHead,
} from '@jobline/db';
import { createLimits, isUnder, type Limits, orgLimit, ratesOf } from './limits.js';

/** The limits of these organizations, the operator's bound included. */
export async function readRules(db: DbSession, orgIds: readonly OrgId[]): Promise<LimitRule[]> {
  const [rules, maxRunning] = [await listLimitRules(db, orgIds), await findOrgMaxRunning(db)];
  return maxRunning === null ? rules : [...rules, ...orgIds.map((orgId) => orgLimit(orgId, maxRunning))];
}

/**
 * Reads what decides whether these jobs may start now. `nowMs`: the time of the decision, by the database's clock. Each call
 * of the result begins without starts.
 */
export async function readLimits(
  db: DbSession,
  rules: readonly LimitRule[],
  jobs: readonly LimitedJob[],
  nowMs: number,
): Promise<() => Limits> {
  const orgIds = [...new Set(jobs.map(({ orgId }) => orgId))];
  const running = await listRunningCounts(db, orgIds);
  const wanted = ratesOf(rules, jobs);
  const rates = wanted.length === 0 ? [] : await listRates(db, wanted);
  return () => createLimits({ rules, running, rates, nowMs });
}

/** The first job of each key under each ordered limit. */
export interface Heads {
  /** The first job that an ordered limit allows before this job's key, or null if no ordered limit applies. */
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
      rulesOf(job).map(
        ({ orgId, name, types }): [string, { orgId: OrgId; name: string; types: string[]; limitKey: string }] => [
          headId(orgId, name, job.limitKey),
          { orgId, name, types, limitKey: job.limitKey },
        ],
      ),
    ),
  );
  const rows = wanted.size === 0 ? [] : await listOrderedHeads(db, [...wanted.values()]);
  const heads = new Map(rows.map((head) => [headId(head.orgId, head.name, head.limitKey), head]));
  const of = (job: LimitedJob) =>
    rulesOf(job).flatMap(({ orgId, name }) => heads.get(headId(orgId, name, job.limitKey)) ?? []);
  return { of, isFirst: (job) => of(job).every(({ key }) => key === job.key) };
}

function headId(orgId: OrgId, name: string, limitKey: string): string {
  return `${orgId} ${name} ${limitKey}`;
}
