import type { OrgId } from '@jobline/contracts';
import type { Load } from '@jobline/db/job-transitions';

/** How many jobs of each organization the dispatcher may add to a queue until the next measurement. */
export interface Allowances {
  /** Computes the allowances from a measurement. */
  update(measured: Measurement): void;
  /** Returns how many jobs may still be added. */
  of(orgId: OrgId): number;
  /** Counts jobs that were added. */
  use(orgId: OrgId, count: number): void;
}

export interface Measurement {
  loads: readonly Load[];
  /** Organizations with waiting jobs. */
  waitingOrgs: readonly OrgId[];
  /** Slots that low-priority entries may use. */
  slots: number;
}

/** Jobs that an organization may have in Redis beyond its share, for each fast job since the last measurement. */
const MORE_PER_FAST_JOB = 2;

const NO_LOAD = { running: 0, slow: 0, dispatched: 0 };

interface Known {
  dispatched: number;
  allowance: number;
  added: number;
}

/**
 * Gives each organization its share of the slots, less the jobs that it runs or has in Redis, plus twice the number of
 * its fast jobs: those that were claimed and have ended since the last measurement. So the entries of slow jobs do not
 * wait in Redis before entries of other organizations, and the allowance of fast jobs doubles from one measurement to
 * the next.
 *
 * With n organizations that run slow jobs, a share is one of n + 1 equal parts, so that one part is always left for the
 * next organization. If more organizations wait, their number counts. An organization that is alone may use all slots.
 */
export function createAllowances(): Allowances {
  let known = new Map<OrgId, Known>();
  let share = 0;

  return {
    update({ loads, waitingOrgs, slots }) {
      const loadOf = new Map(loads.map((load) => [load.orgId, load]));
      const active = new Set([...loadOf.keys(), ...waitingOrgs]);
      const slow = loads.filter((load) => load.slow > 0).length;
      const parts = active.size <= 1 ? 1 : Math.max(slow + 1, waitingOrgs.length);
      share = Math.max(1, Math.floor(slots / parts));
      known = new Map(
        [...active].map((orgId) => {
          const { running, slow, dispatched } = loadOf.get(orgId) ?? NO_LOAD;
          const { dispatched: before = 0, added = 0 } = known.get(orgId) ?? {};
          // A claimed job that runs has perhaps not been claimed since the last measurement, unless it is slow.
          const fast = Math.max(0, before + added - dispatched - (running - slow));
          const allowance = Math.max(0, share - running - dispatched + MORE_PER_FAST_JOB * fast);
          return [orgId, { dispatched, allowance, added: 0 }];
        }),
      );
    },
    of(orgId) {
      const one = known.get(orgId);
      return one ? Math.max(0, one.allowance - one.added) : share;
    },
    use(orgId, count) {
      const one = known.get(orgId) ?? { dispatched: 0, allowance: share, added: 0 };
      known.set(orgId, { ...one, added: one.added + count });
    },
  };
}
