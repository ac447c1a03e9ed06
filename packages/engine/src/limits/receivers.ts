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

/** The queue of deliveries. */
export const DELIVERY_QUEUE = 'events';
/** Such deliveries use at most this part of the slots of their queue, so that slow receivers do not delay the others. */
const SHARE = 1 / 2;

/**
 * Divides these slots among the organizations that have such deliveries, in equal parts; one more part stays free for the next
 * organization. `waiting` and `dispatched`: jobs that may start, and those that have an entry and are not claimed yet.
 */
export async function readCarefulSlots(
  db: DbSession,
  { waiting, dispatched, slots }: { waiting: readonly LimitedJob[]; dispatched: readonly LimitedJob[]; slots: number },
): Promise<CarefulSlots> {
  const isCareful = await readReceivers(db, [...waiting, ...dispatched]);
  const counts = new Map<OrgId, number>();
  const count = (orgId: OrgId, n: number) => counts.set(orgId, (counts.get(orgId) ?? 0) + n);
  let used = 0;
  if (waiting.some(isCareful)) {
    for (const { orgId, running } of await countCarefulDeliveries(db, DELIVERY_TYPE)) count(orgId, running);
    for (const { orgId } of dispatched.filter(isCareful)) count(orgId, 1);
    used = [...counts.values()].reduce((sum, n) => sum + n, 0);
    for (const { orgId } of waiting.filter(isCareful)) count(orgId, 0);
  }
  const capacity = Math.max(1, Math.floor(SHARE * slots));
  const ofOrg = Math.max(1, Math.floor(capacity / (counts.size + 1)));
  return {
    isCareful,
    capacityOf: (job) =>
      isCareful(job) ? Math.min(capacity - used, ofOrg - (counts.get(job.orgId) ?? 0)) : Number.POSITIVE_INFINITY,
    take(job) {
      if (!isCareful(job)) return;
      count(job.orgId, 1);
      used++;
    },
  };
}

function receiverId({ orgId, limitKey }: Pick<LimitedJob, 'orgId' | 'limitKey'>): string {
  return `${orgId} ${limitKey}`;
}
