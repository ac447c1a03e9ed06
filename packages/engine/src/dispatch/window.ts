import type { OrgId } from '@jobline/contracts';
import { elapsedMs } from '@jobline/runtime';
import type { Producer } from '../queue/producer.js';
import { createBulk } from './bulk-detector.js';

/**
 * How much of a queue is kept in Redis: about its window of entries that wait or are active, and a bounded number of
 * delayed ones. The rest waits in Postgres, where it can be shared out fairly and costs Redis nothing.
 */
export interface Window {
  /**
   * Takes a place for an entry of an organization's. Null: there is none, or nobody knows because Redis does not answer, or
   * the organization has jobs waiting in Postgres, which this one is not to overtake.
   */
  take(queue: string, orgId: OrgId): Turn | null;
  /** Gives places back that were not used. */
  giveBack(queue: string, places: number): void;
  /** The entries of places taken are in Redis now, or will never be. */
  settle(queue: string, places: number): void;
  /** Takes a place among the delayed entries for an organization's. False: its retries, or those of all, are too many. */
  takeDelayed(queue: string, orgId: OrgId): boolean;
}

/** `behind`: after all entries that are not, because its organization submits much. */
export type Turn = 'soon' | 'behind';

/** The rest of a window is kept for those whose turn is soon, and so is a share of the slots. */
const SHARE_BEHIND = 0.8;
const KEPT_SHARE = 1 / 10;
/** Delayed entries per queue; retries beyond wait in Postgres. */
const MAX_DELAYED = 2_000;
/** Counts are asked for again when they are older. Own adds are counted at once. */
const FRESH_FOR_MS = 100;
/** Until the feeder has published that an organization's jobs wait. */
const PUBLISHED_WITHIN_MS = 500;
const MAX_REMEMBERED = 10_000;

interface Room {
  free: number;
  /** So many of the free places are for those whose turn is soon. */
  kept: number;
  freeDelayed: number;
  /** Places taken whose entries are not in Redis yet, so that the counts do not have them. */
  pending: number;
  slots: number;
  /** Organizations whose slow jobs hold more than their share: theirs wait in Postgres. */
  overShare: ReadonlySet<string>;
  /** Organizations with jobs waiting in Postgres, as published; null: all. */
  waitingOrgs: ReadonlySet<string> | null;
  /** Until when organizations whose jobs were refused a place here count as waiting. */
  refusedUntilMs: Map<OrgId, number>;
  askedAt: number;
  isAsking: boolean;
}

/** How many of a window's places those may have that are behind. */
export function placesBehind(window: number): number {
  return Math.ceil(SHARE_BEHIND * window);
}

/** How many of so many slots are kept from entries that are behind. A few slots leave none to keep. */
export function keptSlots(slots: number): number {
  return Math.floor(KEPT_SHARE * slots);
}

export function createWindow(queues: readonly string[], producer: Pick<Producer, 'count' | 'onReady'>): Window {
  const rooms = new Map(
    queues.map((queue): [string, Room] => [
      queue,
      {
        free: 0,
        kept: 0,
        freeDelayed: 0,
        pending: 0,
        slots: Number.POSITIVE_INFINITY,
        overShare: new Set(),
        waitingOrgs: new Set(),
        refusedUntilMs: new Map(),
        askedAt: -FRESH_FOR_MS,
        isAsking: false,
      },
    ]),
  );
  const isBulk = createBulk();

  function roomOf(queue: string): Room {
    const room = rooms.get(queue);
    if (!room) throw new Error(`no queue "${queue}"`);
    if (!room.isAsking && elapsedMs(room.askedAt) >= FRESH_FOR_MS) void refresh(queue, room);
    return room;
  }

  /** In the background: whoever takes a place meanwhile goes by what was known. Never rejects. */
  async function refresh(queue: string, room: Room): Promise<void> {
    room.isAsking = true;
    room.askedAt = performance.now();
    const counts = await producer.count(queue);
    room.free = counts ? counts.window - counts.waiting - counts.active - room.pending : 0;
    room.kept = counts ? counts.window - placesBehind(counts.window) : 0;
    room.freeDelayed = counts ? MAX_DELAYED - counts.delayed : 0;
    room.slots = counts?.slots ?? room.slots;
    if (counts) Object.assign(room, { overShare: counts.overShare, waitingOrgs: counts.waitingOrgs });
    room.isAsking = false;
  }

  producer.onReady(() => {
    for (const [queue, room] of rooms) void refresh(queue, room);
  });

  return {
    take(queue, orgId) {
      const room = roomOf(queue);
      const turn = isBulk(queue, orgId, room.slots) ? 'behind' : 'soon';
      if (isWaiting(room, orgId)) return null;
      if (room.free <= (turn === 'behind' ? room.kept : 0) || room.overShare.has(orgId)) {
        // To forget is harmless: a job may then overtake others of its organization.
        if (room.refusedUntilMs.size >= MAX_REMEMBERED) room.refusedUntilMs.clear();
        room.refusedUntilMs.set(orgId, performance.now() + PUBLISHED_WITHIN_MS);
        return null;
      }
      room.free--;
      room.pending++;
      return turn;
    },
    giveBack(queue, places) {
      const room = roomOf(queue);
      room.free += places;
      room.pending -= places;
    },
    settle(queue, places) {
      roomOf(queue).pending -= places;
    },
    takeDelayed(queue, orgId) {
      const room = roomOf(queue);
      if (room.freeDelayed <= 0 || room.overShare.has(orgId) || isBulk(queue, orgId, room.slots)) return false;
      room.freeDelayed--;
      return true;
    },
  };
}

function isWaiting(room: Room, orgId: OrgId): boolean {
  if (room.waitingOrgs === null || room.waitingOrgs.has(orgId)) return true;
  return performance.now() < (room.refusedUntilMs.get(orgId) ?? 0);
}
