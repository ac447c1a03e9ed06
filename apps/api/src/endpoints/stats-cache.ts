import type { OrgId, StatsWindow, VisibleTypes } from '@jobline/contracts';
import type { JobStatsOptions } from '@jobline/db';
import { createRecent, elapsedMs, type FairLimiter } from '@jobline/runtime';
import { limitExpensiveWork } from '../budgets/expensive-work.js';

/** Counts of jobs. `Asked`: what selects them. */
export interface JobStats<Row, Asked = StatsWindow> {
  /** Counts the jobs now, or returns a recent result if a count takes long. */
  read(orgId: OrgId, asked: Asked, types?: VisibleTypes): Promise<Row>;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const STEPS: Record<StatsWindow, { stepMs: number; steps: number }> = {
  '1h': { stepMs: MINUTE_MS, steps: 60 },
  '24h': { stepMs: 30 * MINUTE_MS, steps: 48 },
  '7d': { stepMs: 3 * HOUR_MS, steps: 56 },
};
const MAX_TYPES = 50;

/** The steps of a window. */
export function stepsOf(window: StatsWindow): Omit<JobStatsOptions, 'types'> {
  return { ...STEPS[window], maxTypes: MAX_TYPES };
}

/** Connections of the pool that all counts may use at once. Submissions need the others. */
const MAX_CONCURRENT = 2;
/** A count that took one second is reused for ten: no dashboard uses more than a tenth of a connection. */
const REST_FACTOR = 10;
const MIN_REST_MS = 500;
const MAX_ENTRIES = 1_000;
/** Longer counts run in the background if there is an earlier result, which is returned meanwhile. */
const SLOW_MS = 100;
const MAX_AGE_MS = 60_000;

export function createCountLimiter(): FairLimiter {
  const message = 'Your organization reads too many statistics at once; try again in a second.';
  return limitExpensiveWork(MAX_CONCURRENT, message);
}

interface Entry<Row> {
  row: Promise<Row>;
  /** A time of performance.now(). Until then, the result is returned without a new count. */
  goodUntil: number;
  /** Until then, the result is returned while a new count is running. */
  shownUntil: number;
  /** The new count. */
  next?: Entry<Row>;
}

interface JobStatsSettings {
  /** For how long a fast count is reused. */
  minRestMs?: number;
  /** A count is reused for its own duration, multiplied with this. */
  restFactor?: number;
  /** How old an earlier result may be that is returned while a long count is running. */
  maxAgeMs?: number;
  /** How many results are kept. */
  maxEntries?: number;
  /** Shared by several counts. */
  limiter?: Pick<FairLimiter, 'run'>;
}

/**
 * A count may read many jobs: failed ones, and those that no worker has counted yet. So concurrent requests of an organization for
 * the same job types share one count.
 */
export function createJobStats<Row, Asked = StatsWindow>(
  countJobs: (orgId: OrgId, asked: Asked, types: VisibleTypes) => Promise<Row>,
  {
    minRestMs = MIN_REST_MS,
    restFactor = REST_FACTOR,
    maxAgeMs = MAX_AGE_MS,
    maxEntries = MAX_ENTRIES,
    limiter = createCountLimiter(),
  }: JobStatsSettings = {},
): JobStats<Row, Asked> {
  // Each entry has its own times.
  const entries = createRecent<Entry<Row>>({ ttlMs: Number.POSITIVE_INFINITY, maxEntries });

  function count(orgId: OrgId, asked: Asked, types: VisibleTypes): Entry<Row> {
    const entry: Entry<Row> = {
      goodUntil: Number.POSITIVE_INFINITY,
      shownUntil: 0,
      row: limiter.run(load, { owner: orgId }),
    };
    entry.row.catch(() => {
      // The count did not begin in time, so the next request begins another.
      if (entry.goodUntil === Number.POSITIVE_INFINITY) entry.goodUntil = 0;
    });
    return entry;

    async function load(): Promise<Row> {
      const startedAt = performance.now();
      let factor = 1;
      try {
        const row = await countJobs(orgId, asked, types);
        factor = restFactor;
        if (elapsedMs(startedAt) >= SLOW_MS) entry.shownUntil = startedAt + maxAgeMs;
        return row;
      } finally {
        // A failure is kept too, but for less time: a count that timed out must not start again immediately.
        const tookMs = elapsedMs(startedAt);
        entry.goodUntil = performance.now() + Math.max(minRestMs, tookMs < SLOW_MS ? 0 : factor * tookMs);
      }
    }
  }

  return {
    read(orgId, asked, types = null) {
      const name = JSON.stringify([orgId, asked, types]);
      const known = entries.get(name);
      const now = performance.now();
      if (known && now < known.goodUntil) return known.row;
      if (known && now < known.shownUntil) {
        if (!known.next) {
          const next = count(orgId, asked, types);
          known.next = next;
          const follow = () => entries.set(name, next);
          next.row.then(follow, follow);
        }
        return known.row;
      }
      const entry = known?.next ?? count(orgId, asked, types);
      entries.set(name, entry);
      return entry.row;
    },
  };
}
