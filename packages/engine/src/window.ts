import { elapsedMs } from '@jobline/runtime';
import type { Producer } from './queue/producer.js';

/**
 * How much of a queue is kept in Redis: about its window of entries that wait or are active, and a bounded number of
 * delayed ones. The rest waits in Postgres, where it can be shared out fairly and costs Redis nothing.
 */
export interface Window {
  /** Takes a place for an entry. False: there is none, or nobody knows because Redis does not answer. */
  take(queue: string): boolean;
  /** Gives places back that were not used. */
  giveBack(queue: string, places: number): void;
  /** The entries of places taken are in Redis now, or will never be. */
  settle(queue: string, places: number): void;
  /** Whether jobs of the queue wait in Postgres: then those who have none there go first in Redis. */
  isFlooded(queue: string): boolean;
  /** Takes a place among the delayed entries. */
  takeDelayed(queue: string): boolean;
}

/** Delayed entries per queue; retries beyond wait in Postgres. */
const MAX_DELAYED = 2_000;
/** Counts are asked for again when they are older. Own adds are counted at once. */
const FRESH_FOR_MS = 100;

interface Room {
  free: number;
  freeDelayed: number;
  isFlooded: boolean;
  /** Places taken whose entries are not in Redis yet, so that the counts do not have them. */
  pending: number;
  askedAt: number;
  isAsking: boolean;
}

export function createWindow(queues: readonly string[], producer: Pick<Producer, 'count' | 'onReady'>): Window {
  const rooms = new Map(
    queues.map((queue): [string, Room] => [
      queue,
      { free: 0, freeDelayed: 0, isFlooded: false, pending: 0, askedAt: -FRESH_FOR_MS, isAsking: false },
    ]),
  );

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
    room.freeDelayed = counts ? MAX_DELAYED - counts.delayed : 0;
    room.isFlooded = counts?.isFlooded ?? false;
    room.isAsking = false;
  }

  producer.onReady(() => {
    for (const [queue, room] of rooms) void refresh(queue, room);
  });

  return {
    take(queue) {
      const room = roomOf(queue);
      if (room.free <= 0) return false;
      room.free--;
      room.pending++;
      return true;
    },
    giveBack(queue, places) {
      const room = roomOf(queue);
      room.free += places;
      room.pending -= places;
    },
    settle(queue, places) {
      roomOf(queue).pending -= places;
    },
    isFlooded: (queue) => roomOf(queue).isFlooded,
    takeDelayed(queue) {
      const room = roomOf(queue);
      if (room.freeDelayed <= 0) return false;
      room.freeDelayed--;
      return true;
    },
  };
}
