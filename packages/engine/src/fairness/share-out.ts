import type { OrgId } from '@jobline/contracts';
import type { QueueSlots } from '@jobline/db';
import type { Load } from '@jobline/db/job-transitions';
import { reservedSlots } from '../queue/slots.js';

/** A ticket to add: it lets a worker start the next `count` waiting jobs of an organization, `share` of them at the same time. */
export interface Ticket {
  orgId: OrgId;
  count: number;
  share: number;
  isLowPriority: boolean;
}

interface Demand {
  /** Organizations with waiting jobs, in the order of their ids. */
  orgs: readonly OrgId[];
  /** The one that got the last ticket of the round before. */
  lastOrg: OrgId | null;
  /** How many jobs of one organization may run at the same time. */
  share: number;
  /** How many tickets of an organization are not used up yet. */
  ticketsOf(orgId: OrgId): number;
  loads: readonly Load[];
  slots: QueueSlots;
  /** Up to how many running jobs an organization is small, and how many jobs of small ones may get reserved slots now. */
  few: { ofOrg: number; ofAll: number };
}

/** How many jobs a ticket may start for each slot of its share, if several organizations wait: then it is the turn of the next one. */
const COUNT_IN_TURN = 10;
/** If one organization waits alone, a worker uses a ticket until no job waits or until its time is over. */
const COUNT_ALONE = 10_000;

/**
 * Divides the slots among the organizations with waiting jobs: each has a ticket for each worker, as far as its share goes, and the
 * tickets say how much of the share each worker may use.
 *
 * While the slots for low priority are in use, tickets of low priority wait for them. So organizations that run few jobs get
 * tickets of normal priority first, for reserved slots. Pure.
 */
export function shareOut(demand: Demand): Ticket[] {
  const { orgs, lastOrg, share, ticketsOf, slots } = demand;
  if (slots.all === 0) return [];
  const next = lastOrg === null ? 0 : orgs.findIndex((orgId) => orgId > lastOrg);
  const inTurn = next <= 0 ? orgs : [...orgs.slice(next), ...orgs.slice(0, next)];
  const wanted = Math.min(share, Math.ceil(slots.all / slots.smallest));
  const own = Math.ceil(share / wanted);
  const count = orgs.length > 1 ? COUNT_IN_TURN * own : COUNT_ALONE;
  const tickets = ofSmallOrgs(demand, inTurn);
  for (let turn = 1; turn <= wanted; turn++) {
    for (const orgId of inTurn) {
      if (ticketsOf(orgId) < turn) tickets.push({ orgId, count, share: own, isLowPriority: true });
    }
  }
  return tickets;
}

function ofSmallOrgs({ loads, slots, few, ticketsOf }: Demand, inTurn: readonly OrgId[]): Ticket[] {
  const running = new Map(loads.map((load) => [load.orgId, load.running]));
  const allRunning = loads.reduce((sum, load) => sum + load.running, 0);
  // Free slots for low priority are enough for all.
  if (allRunning < slots.smallest - reservedSlots(slots.smallest)) return [];
  const tickets: Ticket[] = [];
  let left = few.ofAll;
  for (const orgId of inTurn) {
    const count = Math.min(left, few.ofOrg - (running.get(orgId) ?? 0));
    if (count <= 0 || ticketsOf(orgId) > 1) continue;
    tickets.push({ orgId, count, share: count, isLowPriority: false });
    left -= count;
  }
  return tickets;
}
