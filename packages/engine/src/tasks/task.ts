import type { OrgId } from '@jobline/contracts';
import { type Db, dropLease, holdLease } from '@jobline/db';
import { elapsedMs } from '@jobline/runtime';
import type { Lease } from '../start/lease.js';

/** Work that a process does again and again: tasks.ts has the list. */
export interface Task {
  /** In the log, if a round fails. */
  name: string;
  /** Does a bounded part of the work. Returns the time in ms until the next round. */
  round(): Promise<number>;
  /** The time in ms until the next round after one that has failed. */
  failedMs: number;
  /** Lets another process continue immediately. */
  end?(): Promise<void>;
  /** Called while another process does the work: once or more. */
  onLost?(): void;
  /** Passes a function that begins the next round immediately. Absent: nothing does. */
  onWake?(wake: () => void): void;
}

/**
 * Work with a lease of its own, in addition to the lease of maintenance: it is not done again each time another process becomes the
 * holder of that one.
 */
export interface LeasedTask extends Task {
  end(): Promise<void>;
}

export interface LeasedWork {
  name: string;
  db: Db;
  /** Identifies the process. */
  lease: Pick<Lease, 'id'>;
  /**
   * The name in the table `leases`. It must not change, because old and new versions run at the same time during an update.
   * Absent: the name of the task.
   */
  leaseName?: string;
  /** Longer than a rest and a round, so that the same process continues after them. */
  ttlMs: number;
  /** The lease is renewed when it is this old. Absent: for each round. */
  renewAfterMs?: number;
  /** The time until the next round while another process holds the lease. */
  askAgainMs: number;
  failedMs?: number;
  /**
   * Does a bounded part of the work. Returns the time in ms until the next round, or `more` if there is more to do now. `hold`
   * renews the lease during a long round, and returns false if another process has it.
   */
  round(hold: () => Promise<boolean>): Promise<number | 'more'>;
  /** Called when another process holds the lease. */
  onLost?(): void;
}

const NEVER = Number.NEGATIVE_INFINITY;
const FAILED_MS = 30_000;
const MIN_PAUSE_MS = 100;
/** While there is more to do, the work uses at most a fifth of the time. */
const PAUSE_FACTOR = 4;

export function leasedTask(work: LeasedWork): LeasedTask {
  const { name, db, leaseName = name, ttlMs, renewAfterMs = 0, failedMs = FAILED_MS } = work;
  const lease = () => ({ name: leaseName, holder: work.lease.id() });
  let heldSince = NEVER;

  async function hold(): Promise<boolean> {
    if (elapsedMs(heldSince) < renewAfterMs) return true;
    const startedAt = performance.now();
    const isHeld = await holdLease(db, { ...lease(), ttlMs });
    heldSince = isHeld ? startedAt : NEVER;
    return isHeld;
  }

  return {
    name,
    failedMs,
    async round() {
      if (!(await hold())) {
        work.onLost?.();
        return work.askAgainMs;
      }
      const startedAt = performance.now();
      const next = await work.round(hold);
      return next === 'more' ? Math.max(MIN_PAUSE_MS, PAUSE_FACTOR * elapsedMs(startedAt)) : next;
    },
    async end() {
      if (heldSince === NEVER) return;
      heldSince = NEVER;
      await dropLease(db, lease());
    },
  };
}

/** The organization after which the next page begins; null: `page` was the last one of at most `limit`. */
export function afterPage(page: readonly { orgId: OrgId }[], limit: number): OrgId | null {
  return page.length < limit ? null : (page.at(-1)?.orgId ?? null);
}

/** Work that is done for one organization after the other. */
export interface OrgWork<Org> {
  /** The next organizations, in the order of their ids. */
  list(after: OrgId | null, limit: number): Promise<readonly Org[]>;
  /** How many organizations one call takes. */
  limit: number;
  /** Does a bounded part of the work of an organization. Returns whether there may be more. */
  work(org: Org): Promise<boolean>;
}

/**
 * Returns a function that does the work of the next organizations, pass after pass over all of them. It returns false at the
 * end of a pass that has found no organization with more to do.
 */
export function createOrgPages<Org extends { orgId: OrgId }>({ list, limit, work }: OrgWork<Org>) {
  let after: OrgId | null = null;
  /** Whether an organization has more than this pass has done. */
  let isBehind = false;
  return async (): Promise<boolean> => {
    const orgs = await list(after, limit);
    for (const org of orgs) isBehind = (await work(org)) || isBehind;
    after = afterPage(orgs, limit);
    const hasMore = after !== null || isBehind;
    if (after === null) isBehind = false;
    return hasMore;
  };
}
