import type { OrgId } from '@jobline/contracts';
import type { Load, Occupancy } from '@jobline/db/job-transitions';

/** How many jobs of each organization the dispatcher may add to a queue until the next measurement. */
export type Allowances = ReturnType<typeof createAllowances>;

export interface Measurement {
  loads: readonly Load[];
  /** Organizations with waiting jobs. */
  waitingOrgs: readonly OrgId[];
  /** Slots that low-priority entries may use. */
  slots: number;
}

/** Jobs that an organization which is alone may have, for each slot: those that run, and as many that wait in Redis. */
const JOBS_PER_SLOT_ALONE = 2;

const NO_LOAD = { running: 0, slow: 0, dispatched: 0 };

interface Known {
  running: number;
  slow: number;
  dispatched: number;
  allowance: number;
  added: number;
}

/**
 * Gives each organization its share of the slots, less the jobs that it runs or has in Redis. So the entries of slow
 * jobs do not wait in Redis before entries of other organizations. Jobs that end sooner are replaced in advance: one
 * for each that has ended since the last measurement, and another one if it was also claimed since then. So the
 * allowance of jobs that end at once doubles from one measurement to the next.
 *
 * Organizations that run slow jobs get equal parts of the slots, and all others together get one more. If more
 * organizations wait, their number counts. An organization that is alone may use all slots and have its next jobs in
 * Redis.
 */
export function createAllowances() {
  let known = new Map<OrgId, Known>();
  let share = 0;
  let shareOfSlots = 0;

  return {
    /** Computes the allowances from a measurement. */
    update({ loads, waitingOrgs, slots }: Measurement): void {
      const loadOf = new Map(loads.map((load) => [load.orgId, load]));
      const active = new Set([...loadOf.keys(), ...waitingOrgs]);
      const slowOrgs = loads.filter((load) => load.slow > 0).length;
      const parts = Math.max(1, slowOrgs + (active.size > slowOrgs ? 1 : 0), waitingOrgs.length);
      const isAlone = active.size <= 1;
      shareOfSlots = Math.max(1, Math.floor(slots / parts));
      share = Math.max(1, Math.floor((isAlone ? JOBS_PER_SLOT_ALONE * slots : slots) / parts));
      known = new Map(
        [...active].map((orgId) => {
          const load = loadOf.get(orgId) ?? NO_LOAD;
          const { running, slow, dispatched } = load;
          const before = known.get(orgId) ?? { ...NO_LOAD, added: 0 };
          const startable = before.dispatched + before.added - dispatched;
          const endedSlow = Math.max(0, before.slow - slow);
          const ended = Math.max(0, before.running + startable - running - endedSlow);
          // A claimed job that runs has perhaps not been claimed since the last measurement, unless it is slow.
          const fast = Math.max(0, startable - (running - slow));
          const allowance = Math.max(0, share - running - dispatched + ended + fast);
          return [orgId, { ...load, allowance, added: 0 }];
        }),
      );
    },
    /** How many jobs of one organization may run at the same time. */
    shareOfSlots: (): number => shareOfSlots,
    /** Returns how many jobs may still be added. */
    of(orgId: OrgId): number {
      const one = known.get(orgId);
      return one ? Math.max(0, one.allowance - one.added) : share;
    },
    /** Counts jobs that were added. */
    use(orgId: OrgId, count: number): void {
      const one = known.get(orgId) ?? { ...NO_LOAD, allowance: share, added: 0 };
      known.set(orgId, { ...one, added: one.added + count });
    },
  };
}

/**
 * Returns the organizations that use more than their share of the slots of a queue. With n organizations that run slow
 * jobs, a share is one of n + 1 equal parts of the slots, so that one part is always left for the next organization.
 * Fast jobs never count, because they free their slots soon.
 */
export function orgsOverShare(occupancies: readonly Occupancy[], slots: number): ReadonlySet<OrgId> {
  const slow = occupancies.filter((one) => one.slow > 0);
  const share = Math.max(1, slots / (slow.length + 1));
  return new Set(slow.filter((one) => one.slow > share).map(({ orgId }) => orgId));
}
