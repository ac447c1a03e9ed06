import type { JobKey, OrgId } from '@jobline/contracts';
import type { QueueSlots } from '@jobline/db';
import { elapsedMs } from '@jobline/runtime';
import type { Entry } from '../queue/entry.js';
import type { Producer } from '../queue/producer.js';

/**
 * Remembers the jobs whose entries the dispatcher has added to a queue and that may still be in Redis, unclaimed: their
 * rows must not be listed again. If this state is lost, because another worker continues or because Redis loses its data,
 * jobs are added again. That is harmless, because only one delivery of a job gets the claim.
 */
export type DispatchedEntries = ReturnType<typeof createDispatchedEntries>;

type AddedEntry = Pick<Entry, 'queue' | 'id' | 'isLowPriority'>;

export interface TypedJob {
  key: JobKey;
  type: string;
  /** Whether the job is under a limit, so that its claim may be refused. */
  isHeld?: boolean;
}

/** A job, and the `enqueue_seq` that its claim will have. */
export interface DispatchedJob extends TypedJob {
  orgId: OrgId;
  seq: number;
}

interface Dispatched {
  entry: AddedEntry;
  job: DispatchedJob;
  /** The entry was in Redis at this time. */
  sureAt: number;
  /** The entry was in a list of its queue at this time. */
  listedAt: number;
}

/**
 * An entry is assumed to be in Redis for this time, then Redis is asked. So a lost entry is dispatched again after
 * this time.
 */
const SURE_FOR_MS = 5_000;
/** The same for held jobs and for types with a limit: each entry that leaves makes capacity for the next. */
const SURE_FOR_LIMITED_MS = 100;
/**
 * After this time in Redis, an entry is looked for in the lists of its queue: if Redis has evicted the list, the entry
 * is never delivered.
 */
const LISTED_FOR_MS = 60_000;
/**
 * For this time after its first entry, a dispatcher looks for its entries at once: an earlier dispatcher may have added
 * them, and Redis may have evicted their list since.
 */
const NEW_FOR_MS = 5_000;

export function createDispatchedEntries(producer: Pick<Producer, 'present' | 'listed' | 'drop'>) {
  let dispatched: Dispatched[] = [];
  let firstAt: number | null = null;

  function countTypes(limitOf: TypeLimit): Map<string, number> {
    const counts = new Map<string, number>();
    for (const { job } of dispatched) {
      if (limitOf(job.type) < Number.POSITIVE_INFINITY) counts.set(job.type, (counts.get(job.type) ?? 0) + 1);
    }
    return counts;
  }

  function forget(some: ReadonlySet<Dispatched>): void {
    dispatched = dispatched.filter((one) => !some.has(one));
  }

  /** Forgets entries that Redis no longer has. */
  async function checkPresent(sureForMs: (job: TypedJob) => number): Promise<void> {
    const doubtful = dispatched.filter(({ job, sureAt }) => elapsedMs(sureAt) >= sureForMs(job));
    const present = doubtful.length === 0 ? null : await producer.present(doubtful.map(({ entry }) => entry));
    if (!present) return;
    for (const one of doubtful) one.sureAt = performance.now();
    forget(new Set(doubtful.filter((_, i) => !present[i])));
  }

  /** Removes and forgets entries that are in no list of their queue. */
  async function checkListed(): Promise<void> {
    const old = dispatched.filter(({ listedAt }) => elapsedMs(listedAt) >= LISTED_FOR_MS);
    const listed = old.length === 0 ? null : await producer.listed(old.map(({ entry }) => entry));
    if (!listed) return;
    for (const one of old) one.listedAt = performance.now();
    const unlisted = old.filter((_, i) => !listed[i]);
    for (const { entry } of unlisted) producer.drop(entry);
    forget(new Set(unlisted));
  }

  return {
    /** Forgets jobs whose entries have left the queue. `count`: how many of its jobs the queue contains at most. */
    async check(count: number, limitOf: TypeLimit): Promise<void> {
      // Entries leave a queue roughly in the order of their adds, except those that workers without a handler delay.
      const isLimited = ({ type, isHeld }: TypedJob) => isHeld || limitOf(type) < Number.POSITIVE_INFINITY;
      const limited = dispatched.filter(({ job }) => isLimited(job));
      const others = dispatched.filter(({ job }) => !isLimited(job));
      dispatched = [...limited, ...(count > 0 ? others.slice(-count) : [])];
      await checkPresent((job) => (isLimited(job) ? SURE_FOR_LIMITED_MS : SURE_FOR_MS));
      await checkListed();
    },
    /** All entries, as the jobs and their numbers. The number of a job that was changed since is higher. */
    entries: (): DispatchedJob[] => dispatched.map(({ job }) => job),
    /** The jobs under limits. */
    heldEntries: (): DispatchedJob[] => dispatched.map(({ job }) => job).filter(({ isHeld }) => isHeld),
    /** Those with normal priority. */
    normalEntries: (): DispatchedJob[] => dispatched.filter(({ entry }) => !entry.isLowPriority).map(({ job }) => job),
    /** The keys of the jobs whose types have no limit. */
    unlimitedKeys: (limitOf: TypeLimit): JobKey[] =>
      dispatched.filter(({ job }) => limitOf(job.type) === Number.POSITIVE_INFINITY).map(({ job }) => job.key),
    /**
     * The capacity for further jobs of one round: of the queue (`ofSmall`: for jobs of organizations that run few), of each
     * organization and of types that few workers handle.
     */
    capacity(left: { ofAll: number; ofSmall: number }, allowanceOf: (orgId: OrgId) => number, limitOf: TypeLimit) {
      const types = countTypes(limitOf);
      const orgs = new Map<OrgId, number>();
      let taken = 0;
      return {
        capacityOf: ({ orgId, type }: { orgId: OrgId; type: string }, isSmall: boolean): number =>
          Math.min(
            (isSmall ? left.ofSmall : left.ofAll) - taken,
            allowanceOf(orgId) - (orgs.get(orgId) ?? 0),
            limitOf(type) - (types.get(type) ?? 0),
          ),
        take({ orgId, type }: { orgId: OrgId; type: string }): void {
          taken++;
          orgs.set(orgId, (orgs.get(orgId) ?? 0) + 1);
          types.set(type, (types.get(type) ?? 0) + 1);
        },
      };
    },
    /** Types that have reached their limit. */
    fullTypes: (limitOf: TypeLimit): string[] =>
      [...countTypes(limitOf)].filter(([type, n]) => n >= limitOf(type)).map(([type]) => type),
    /** Returns the jobs that do not exceed the limits of their types. */
    within<J extends TypedJob>(jobs: readonly J[], limitOf: TypeLimit): J[] {
      const counts = countTypes(limitOf);
      return jobs.filter(({ type }) => {
        const count = (counts.get(type) ?? 0) + 1;
        counts.set(type, count);
        return count <= limitOf(type);
      });
    },
    /** Remembers the jobs of one entry. */
    remember(entry: AddedEntry, jobs: readonly DispatchedJob[]): void {
      const now = performance.now();
      firstAt ??= now;
      const listedAt = now - firstAt < NEW_FOR_MS ? Number.NEGATIVE_INFINITY : now;
      dispatched.push(...jobs.map((job) => ({ entry, job, sureAt: now, listedAt })));
    },
  };
}

/** Returns how many dispatched jobs of a type a queue may have: infinite if all of its workers have the handler. */
export type TypeLimit = (type: string) => number;

/** Minimum number of entries of a type that only some of the workers handle. */
const MIN_OF_TYPE = 20;

/**
 * Limits the entries of types that only some of the workers handle to what those workers need. A worker without the
 * handler delays such an entry, so too many of them would block the jobs after them.
 */
export function limitsOf({ all, byType }: QueueSlots): TypeLimit {
  return (type) => {
    const slots = byType.get(type) ?? 0;
    return slots === all ? Number.POSITIVE_INFINITY : Math.max(MIN_OF_TYPE, 2 * slots);
  };
}
