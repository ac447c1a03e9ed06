import type { OrgId } from '@jobline/contracts';
import { countCarefulDeliveries, type DbSession, type LimitedJob, listGoodReceivers } from '@jobline/db';
import { DELIVERY_TYPE } from '@jobline/handlers';

/** Whether a job is a delivery to a receiver that is not known to be good. */
export type IsCareful = (job: LimitedJob) => boolean;

/** Reads the receivers of those of these jobs that are deliveries. */
export async function readReceivers(db: DbSession, jobs: readonly LimitedJob[]): Promise<IsCareful> {
  const deliveries = jobs.filter(({ type }) => type === DELIVERY_TYPE);
  const good = deliveries.length === 0 ? [] : await listGoodReceivers(db, deliveries);
  const ids = new Set(good.map(receiverId));
  return (job) => job.type === DELIVERY_TYPE && !ids.has(receiverId(job));
}

/** The slots for deliveries to receivers that are not known to be good. */
export interface CarefulSlots {
  isCareful: IsCareful;
  /** How many more jobs like this one may be added: any number, if it is no such delivery. */
  capacityOf(job: LimitedJob): number;
  /** Counts a job that will be added. */
  take(job: LimitedJob): void;
}

/** The organizations that wait for one of these slots, in the order in which they began to wait. */
export type CarefulTurns = ReturnType<typeof createCarefulTurns>;

/** Longer than the pause after which a lane that got no slot is looked at again. */
const FORGOTTEN_AFTER_MS = 3_000;

export function createCarefulTurns() {
  const waiting = new Map<OrgId, number>();
  return {
    /** How many other organizations began to wait before this one. */
    before(orgId: OrgId, nowMs: number): number {
      for (const [one, at] of waiting) if (nowMs - at > FORGOTTEN_AFTER_MS) waiting.delete(one);
      const place = [...waiting.keys()].indexOf(orgId);
      return place < 0 ? waiting.size : place;
    },
    /** An organization that waits already keeps its place. */
    wait: (orgId: OrgId, nowMs: number): void => void waiting.set(orgId, nowMs),
    end: (orgId: OrgId): void => void waiting.delete(orgId),
  };
}

/** Such deliveries use at most this part of the slots of their queue, so that slow receivers do not delay the others. */
const SHARE = 1 / 2;

/**
 * Divides these slots among the organizations that have such deliveries, in equal parts; one more part stays free for the next
 * organization. If there are more organizations than slots, they take turns. `waiting` and `dispatched`: jobs that may start, and
 * those that have an entry and are not claimed yet.
 */
export async function readCarefulSlots(
  db: DbSession,
  {
    waiting,
    dispatched,
    ...of
  }: {
    waiting: readonly LimitedJob[];
    dispatched: readonly LimitedJob[];
    slots: number;
    turns: CarefulTurns;
    nowMs: number;
  },
): Promise<CarefulSlots> {
  const isCareful = await readReceivers(db, [...waiting, ...dispatched]);
  const counts = new Map<OrgId, number>();
  const count = (orgId: OrgId, n: number) => counts.set(orgId, (counts.get(orgId) ?? 0) + n);
  if (waiting.some(isCareful)) {
    for (const { orgId, running } of await countCarefulDeliveries(db, DELIVERY_TYPE)) count(orgId, running);
    for (const { orgId } of dispatched.filter(isCareful)) count(orgId, 1);
    for (const { orgId } of waiting.filter(isCareful)) count(orgId, 0);
  }
  return divideSlots({ isCareful, counts, ...of });
}

/** `counts`: how many of these slots each organization has. */
export function divideSlots({
  isCareful,
  counts,
  slots,
  turns,
  nowMs,
}: {
  isCareful: IsCareful;
  counts: Map<OrgId, number>;
  slots: number;
  turns: CarefulTurns;
  nowMs: number;
}): CarefulSlots {
  let used = [...counts.values()].reduce((sum, n) => sum + n, 0);
  /** The organizations whose turn has come in this round. */
  const chosen = new Set<OrgId>();
  const capacity = Math.max(1, Math.floor(SHARE * slots));
  const ofOrg = Math.max(1, Math.floor(capacity / (counts.size + 1)));

  function capacityOf(orgId: OrgId): number {
    const own = ofOrg - (counts.get(orgId) ?? 0);
    if (own <= 0) return 0;
    const free = capacity - used - (chosen.has(orgId) ? 0 : turns.before(orgId, nowMs));
    if (free > 0) {
      chosen.add(orgId);
      turns.end(orgId);
    } else turns.wait(orgId, nowMs);
    return Math.min(free, own);
  }

  return {
    isCareful,
    capacityOf: (job) => (isCareful(job) ? capacityOf(job.orgId) : Number.POSITIVE_INFINITY),
    take(job) {
      if (!isCareful(job)) return;
      counts.set(job.orgId, (counts.get(job.orgId) ?? 0) + 1);
      used++;
    },
  };
}

function receiverId({ orgId, limitKey }: Pick<LimitedJob, 'orgId' | 'limitKey'>): string {
  return `${orgId} ${limitKey}`;
}
