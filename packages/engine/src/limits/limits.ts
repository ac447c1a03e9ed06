import { EVENT_LIMITS, type OrgId } from '@jobline/contracts';
import { type LimitedJob, type LimitRule, OPERATOR_LIMIT, type RateState, type RunningCount } from '@jobline/db';
import type { IsCareful } from './receivers.js';

/** The name under which the operator's bound of an organization's running jobs counts as a limit. */
export const ORG_LIMIT = OPERATOR_LIMIT;

/** Why a job may not start now. */
export interface Blocked {
  /** The first limit, by name, that does not allow it. */
  limit: string;
  /** Whether the limit allows no job of the whole organization, or only none of this key. */
  scope: LimitRule['per'];
  /** When its rate allows the next start, in ms since 1970. Null: when a running job ends, or the limit is changed. */
  untilMs: number | null;
}

/** Decides which jobs may start, by their limits and by what runs. Pure: its inputs are read from Postgres. */
export type Limits = ReturnType<typeof createLimits>;

export interface LimitsState {
  rules: readonly LimitRule[];
  running: readonly RunningCount[];
  rates: readonly RateState[];
  isCareful: IsCareful;
  /** The time of the decision, in whole ms since 1970, by the database's clock. */
  nowMs: number;
}

export function createLimits({ rules, running, rates, isCareful, nowMs }: LimitsState) {
  const byOrg = new Map<OrgId, LimitRule[]>();
  for (const rule of [...rules].sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const own = byOrg.get(rule.orgId);
    if (own) own.push(rule);
    else byOrg.set(rule.orgId, [rule]);
  }
  const counts = new Map<string, number>();
  const nextAt = new Map(rates.map((rate) => [limitId(rate.orgId, rate.name, rate.limitKey), rate.nextAtMs]));
  const changed = new Map<string, RateState>();
  const probes = new Set<LimitRule>();

  const rulesOf = (job: LimitedJob) => (byOrg.get(job.orgId) ?? []).filter((rule) => isUnder(rule, job));

  function count(job: LimitedJob, n: number): void {
    for (const rule of rulesOf(job)) {
      const id = limitIdOf(rule, job);
      counts.set(id, (counts.get(id) ?? 0) + n);
    }
  }

  /**
   * Until when the starts so far use up a rate: at most a whole burst, although an earlier limit of the same name, or a clock
   * that was ahead, may have stored a later time.
   */
  function nextOf(rule: LimitRule, id: string): number {
    return Math.min(nextAt.get(id) ?? 0, nowMs + burstOf(rule) * intervalMs(rule.perSecond ?? 1));
  }

  function blockedByHold(rule: LimitRule): Blocked | null {
    const { name: limit, hold } = rule;
    if (!hold) return null;
    if (hold.isProbing || probes.has(rule)) return { limit, scope: 'organization', untilMs: null };
    return hold.probeAtMs > nowMs ? { limit, scope: 'organization', untilMs: hold.probeAtMs } : null;
  }

  function blockedByRule(rule: LimitRule, job: LimitedJob): Blocked | null {
    const { name: limit, per: scope } = rule;
    if (rule.paused) return { limit, scope: 'organization', untilMs: null };
    const held = blockedByHold(rule);
    if (held) return held;
    const id = limitIdOf(rule, job);
    const concurrency = scope === 'key' && isCareful(job) ? EVENT_LIMITS.carefulConcurrency : rule.concurrency;
    if (concurrency !== null && (counts.get(id) ?? 0) >= concurrency) return { limit, scope, untilMs: null };
    if (rule.perSecond === null) return null;
    const untilMs = nextOf(rule, id) - (burstOf(rule) - 1) * intervalMs(rule.perSecond);
    return untilMs > nowMs ? { limit, scope, untilMs } : null;
  }

  for (const one of running) count(one, one.running);
  return {
    /** The limits of the job, in the order of their names. */
    rulesOf,
    /** The limits that allow no job of their whole organization to start now. */
    blocking: (): (Blocked & { orgId: OrgId })[] =>
      rules.flatMap((rule) => {
        if (rule.per === 'key' && !rule.paused && !rule.hold) return [];
        const blocked = blockedByRule(rule, { orgId: rule.orgId, type: '', limitName: rule.name, limitKey: '' });
        return blocked?.scope === 'organization' ? [{ ...blocked, orgId: rule.orgId }] : [];
      }),
    /** Why the job may not start now; null: it may. */
    blockedBy(job: LimitedJob): Blocked | null {
      for (const rule of rulesOf(job)) {
        const blocked = blockedByRule(rule, job);
        if (blocked) return blocked;
      }
      return null;
    },
    /** The names of the limits for which the job waits, in their order. While a limit holds itself, all of its jobs do. */
    waitsFor: (job: LimitedJob): string[] =>
      rulesOf(job).flatMap((rule) => (rule.hold || blockedByRule(rule, job) ? rule.name : [])),
    /** Counts a start. From now on the job counts as running, its rates are used, and it is the probe of limits that hold themselves. */
    start(job: LimitedJob): void {
      count(job, 1);
      for (const rule of rulesOf(job)) {
        if (rule.hold) probes.add(rule);
        if (rule.perSecond === null) continue;
        const id = limitIdOf(rule, job);
        const next = Math.max(nextOf(rule, id), nowMs) + intervalMs(rule.perSecond);
        nextAt.set(id, next);
        changed.set(id, { orgId: job.orgId, name: rule.name, limitKey: keyIn(rule, job), nextAtMs: next });
      }
    },
    /** The rates that `start` has changed. */
    changedRates: (): RateState[] => [...changed.values()],
    /** The limits whose next probe `start` has started. */
    probed: (): LimitRule[] => [...probes],
  };
}

/** Whether a job is under a limit. */
export function isUnder({ name, types }: Pick<LimitRule, 'name' | 'types'>, job: LimitedJob): boolean {
  return name === ORG_LIMIT || name === job.limitName || types.includes(job.type);
}

/** The rates of keys to read before jobs under these limits can start. */
export function ratesOf(rules: readonly LimitRule[], jobs: readonly LimitedJob[]): Omit<RateState, 'nextAtMs'>[] {
  const wanted = new Map<string, Omit<RateState, 'nextAtMs'>>();
  for (const job of jobs) {
    for (const rule of rules) {
      if (rule.per !== 'key' || rule.perSecond === null || rule.orgId !== job.orgId || !isUnder(rule, job)) continue;
      wanted.set(limitIdOf(rule, job), { orgId: job.orgId, name: rule.name, limitKey: job.limitKey });
    }
  }
  return [...wanted.values()];
}

function burstOf({ burst, perSecond }: LimitRule): number {
  return burst ?? Math.max(1, Math.ceil(perSecond ?? 1));
}

function intervalMs(perSecond: number): number {
  return 1_000 / perSecond;
}

function keyIn(rule: LimitRule, job: LimitedJob): string {
  return rule.per === 'key' ? job.limitKey : '';
}

function limitIdOf(rule: LimitRule, job: LimitedJob): string {
  return limitId(job.orgId, rule.name, keyIn(rule, job));
}

function limitId(orgId: OrgId, name: string, limitKey: string): string {
  return `${orgId} ${name} ${limitKey}`;
}
