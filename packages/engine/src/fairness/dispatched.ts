import type { JobKey, OrgId } from '@jobline/contracts';
import type { QueueSlots } from '@jobline/db';
import { elapsedMs } from '@jobline/runtime';
import type { EntryRef } from '../queue/entry.js';
import type { Producer } from '../queue/producer.js';

/**
 * Remembers the entries that the dispatcher has added to a queue and that may still be in Redis: tickets, and held jobs, which must
 * not be listed again. If this state is lost, because another worker continues or because Redis loses its data, entries are added
 * again. That is harmless: a ticket starts what waits, and only one delivery of a job gets the claim.
 */
export type DispatchedEntries = ReturnType<typeof createDispatchedEntries>;

/** A held job that has an entry. */
export interface DispatchedJob {
  key: JobKey;
  type: string;
}

/** What an entry may start. */
interface Startable {
  orgId: OrgId;
  /** Null: it is a ticket. */
  job: DispatchedJob | null;
}

interface Dispatched extends Startable {
  entry: EntryRef;
  /** The entry was in Redis at this time. */
  sureAt: number;
  /** The entry was in a list of its queue at this time. */
  listedAt: number;
}

/** An entry is assumed to be in Redis for this time, then Redis is asked. */
const SURE_FOR_MS = { held: 100, ticket: 10 };
/**
 * After this time in Redis, an entry is looked for in the lists of its queue: if Redis has evicted the list, the entry
 * is never delivered.
 */
const LISTED_FOR_MS = { held: 60_000, ticket: 2_000 };
/**
 * For this time after its first entry, a dispatcher looks for its entries at once: an earlier dispatcher may have added
 * them, and Redis may have evicted their list since.
 */
const NEW_FOR_MS = 5_000;

const kindOf = (job: DispatchedJob | null) => (job ? 'held' : 'ticket');

export function createDispatchedEntries(producer: Pick<Producer, 'present' | 'listed' | 'drop'>) {
  let dispatched: Dispatched[] = [];
  let firstAt: number | null = null;

  function forget(some: ReadonlySet<Dispatched>): void {
    dispatched = dispatched.filter((one) => !some.has(one));
  }

  function jobs(): DispatchedJob[] {
    return dispatched.flatMap(({ job }) => job ?? []);
  }

  /** Forgets entries that Redis no longer has. */
  async function checkPresent(): Promise<void> {
    const doubtful = dispatched.filter(({ job, sureAt }) => elapsedMs(sureAt) >= SURE_FOR_MS[kindOf(job)]);
    const present = doubtful.length === 0 ? null : await producer.present(doubtful.map(({ entry }) => entry));
    if (!present) return;
    for (const one of doubtful) one.sureAt = performance.now();
    forget(new Set(doubtful.filter((_, i) => !present[i])));
  }

  /** Removes and forgets entries that are in no list of their queue. */
  async function checkListed(): Promise<void> {
    const old = dispatched.filter(({ job, listedAt }) => elapsedMs(listedAt) >= LISTED_FOR_MS[kindOf(job)]);
    const listed = old.length === 0 ? null : await producer.listed(old.map(({ entry }) => entry));
    if (!listed) return;
    for (const one of old) one.listedAt = performance.now();
    const unlisted = old.filter((_, i) => !listed[i]);
    for (const { entry } of unlisted) producer.drop(entry);
    forget(new Set(unlisted));
  }

  return {
    /** Forgets what has left the queue. */
    async check(): Promise<void> {
      await checkPresent();
      await checkListed();
    },
    /** The held jobs. */
    jobs,
    /** How many tickets an organization has. */
    ticketsOf: (orgId: OrgId): number => dispatched.filter((one) => one.job === null && one.orgId === orgId).length,
    /**
     * The capacity for further held jobs of one round: of the queue (`ofSmall`: for jobs of organizations that run few), of each
     * organization and of types that few workers handle.
     */
    capacity(left: { ofAll: number; ofSmall: number }, allowanceOf: (orgId: OrgId) => number, limitOf: TypeLimit) {
      const types = new Map<string, number>();
      const add = (type: string) => types.set(type, (types.get(type) ?? 0) + 1);
      for (const { type } of jobs()) add(type);
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
          add(type);
        },
      };
    },
    remember(entry: EntryRef, startable: Startable): void {
      const now = performance.now();
      firstAt ??= now;
      const listedAt = now - firstAt < NEW_FOR_MS ? Number.NEGATIVE_INFINITY : now;
      dispatched.push({ ...startable, entry, sureAt: now, listedAt });
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
