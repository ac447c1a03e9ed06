import { AsyncLocalStorage } from 'node:async_hooks';
import type { JobKey } from '@jobline/contracts';
import type { Delivered, DeliveredEntry, Entry, Producer } from '@jobline/engine';
import type { Fate } from './program.js';

/** Set while the dispatcher adds entries: only the dispatcher may repeat an id, until a claim has used it. */
export const dispatching = new AsyncLocalStorage<boolean>();

/** An entry in the queue. An active entry is held by a worker. */
interface Kept extends Entry {
  dueAt: number;
  /** Counts its deliveries. The answer to an earlier delivery has no effect. */
  delivery: number;
  holder: string | null;
}

/** A delivery of an entry. The worker's answer must be passed to `settle`; null: it has used the ticket. */
export interface Delivery {
  entry: DeliveredEntry;
  settle(delivered: Delivered | null): void;
}

/**
 * Queues in memory with the behavior that the engine sees from BullMQ: an add with an id that exists is ignored. They
 * can lose, delay, repeat and reorder entries.
 */
export interface FakeQueue extends Producer {
  isDown: boolean;
  /** Sets what happens to the next entries of the jobs of an organization. */
  setFate(orgId: string, fate: Fate): void;
  /** Adds the entries that are late. */
  arrive(): void;
  /** Deletes everything, including the marks of the queues. */
  wipe(): void;
  /** Loses the entries of a job. Returns their number. */
  lose(key: JobKey): number;
  /** Makes the delayed entries of a job due. */
  makeDue(key: JobKey): void;
  /** Delivers an entry of the job to a worker. Returns null if no entry is due. */
  take(key: JobKey, holder: string): Delivery | null;
  /** Delivers a ticket of the organization to a worker. Returns null if there is none. */
  takeTicket(orgId: string, holder: string): Delivery | null;
  /** Returns the job of each entry that is due, and the organization of each ticket. */
  due(): { key: JobKey | null; orgId: string }[];
  /** Makes the entries of a dead worker available again. */
  releaseFrom(holder: string): void;
  size(): number;
  /** Ids that were added again although an entry with that id had been added before. */
  reused: string[];
}

type QueueState = Parameters<Producer['setState']>[1];

/** The state of a queue before a dispatcher has published it. */
const UNKNOWN: QueueState = {
  window: 100,
  slots: Number.POSITIVE_INFINITY,
  overShare: new Set(),
  waitingOrgs: new Set(),
};

/** `ownerOf` returns the organization of a job when it is known. */
export function createFakeQueue(ownerOf: (key: JobKey) => string | undefined, note: (what: string) => void): FakeQueue {
  const entries = new Map<string, Kept>();
  const everAdded = new Set<string>();
  const fates = new Map<string, Fate>();
  const windows = new Map<string, QueueState>();
  let late: { entry: Entry; mayRepeat: boolean }[] = [];
  let hasMarks = false;

  function put(entry: Entry, mayRepeat: boolean): void {
    const { id } = entry;
    if (everAdded.has(id) && !mayRepeat) queue.reused.push(id);
    everAdded.add(id);
    if (entries.has(id)) note('queue: known id ignored');
    else entries.set(id, { ...entry, dueAt: performance.now() + entry.delayMs, delivery: 0, holder: null });
  }

  function ofJob(key: JobKey): Kept[] {
    return [...entries.values()].filter((entry) => entry.key === key);
  }

  function ownerOfEntry({ key, ticket }: Entry): string | undefined {
    return ticket?.orgId ?? (key === null ? undefined : ownerOf(key));
  }

  function isDue(entry: Kept): boolean {
    return entry.holder === null && entry.dueAt <= performance.now();
  }

  function settle(entry: Kept, delivery: number, delivered: Delivered | null): void {
    const isOurs = entries.get(entry.id) === entry && entry.delivery === delivery;
    if (delivered) note(isOurs ? `delivery: ${delivered.kind}` : 'queue: late answer ignored');
    if (!isOurs) return;
    if (delivered?.kind !== 'delay') entries.delete(entry.id);
    else Object.assign(entry, { holder: null, dueAt: performance.now() + delivered.delayMs });
  }

  function takeFirst(some: readonly Kept[], holder: string): Delivery | null {
    const entry = some.find(isDue);
    if (!entry) return null;
    entry.holder = holder;
    const delivery = ++entry.delivery;
    return { entry, settle: (delivered) => settle(entry, delivery, delivered) };
  }

  const queue: FakeQueue = {
    isDown: false,
    reused: [],
    async add(added) {
      const mayRepeat = dispatching.getStore() === true;
      // Waits as long as an answer would take, so that the organizations of the jobs are known.
      await new Promise(setImmediate);
      if (queue.isDown) return false;
      let isSure = true;
      for (const entry of added) {
        const owner = ownerOfEntry(entry) ?? '';
        const fate = fates.get(owner);
        fates.delete(owner);
        if (fate) note(`entry ${fate}`);
        if (fate === 'refused' || fate === 'unsure') isSure = false;
        if (fate === 'late') late.push({ entry, mayRepeat });
        else if (fate !== 'lost' && fate !== 'refused') put(entry, mayRepeat);
      }
      return isSure;
    },
    drop({ id }) {
      const entry = entries.get(id);
      if (!queue.isDown && entry?.holder === null) entries.delete(entry.id);
    },
    claimPrefix: async (id) => id,
    // This queue loses entries, but never a list alone.
    listed: (asked) => queue.present(asked),
    async present(asked) {
      return queue.isDown ? null : asked.map(({ id }) => entries.has(id));
    },
    async count(name) {
      if (queue.isDown) return null;
      const own = [...entries.values()].filter((entry) => entry.queue === name);
      const waiting = own.filter(isDue);
      const lowPriority = waiting.filter(({ isLowPriority }) => isLowPriority === true).length;
      const inDelivery = own.filter(({ holder }) => holder !== null).length;
      const known = windows.get(name) ?? UNKNOWN;
      const active = Math.min(inDelivery, known.slots);
      const delayed = own.length - waiting.length - inDelivery;
      return {
        waiting: waiting.length,
        lowPriority,
        active,
        delayed,
        ...known,
      };
    },
    async hasLostData() {
      if (queue.isDown) return null;
      const hasLost = !hasMarks;
      hasMarks = true;
      return hasLost;
    },
    async setState(name, state) {
      windows.set(name, state);
    },
    setFate: (orgId, fate) => void fates.set(orgId, fate),
    arrive() {
      const arriving = late;
      late = [];
      for (const { entry, mayRepeat } of arriving) put(entry, mayRepeat);
    },
    wipe() {
      entries.clear();
      windows.clear();
      hasMarks = false;
    },
    lose(key) {
      const lost = ofJob(key).filter(({ holder }) => holder === null);
      for (const { id } of lost) entries.delete(id);
      return lost.length;
    },
    makeDue(key) {
      for (const entry of ofJob(key)) entry.dueAt = Number.NEGATIVE_INFINITY;
    },
    take: (key, holder) => takeFirst(ofJob(key), holder),
    takeTicket: (orgId, holder) =>
      takeFirst(
        [...entries.values()].filter(({ ticket }) => ticket?.orgId === orgId),
        holder,
      ),
    due: () =>
      [...entries.values()].filter(isDue).map((entry) => ({ key: entry.key, orgId: ownerOfEntry(entry) ?? '' })),
    releaseFrom(holder) {
      for (const entry of entries.values())
        if (entry.holder === holder) Object.assign(entry, { holder: null, delivery: entry.delivery + 1 });
    },
    size: () => entries.size,
    ping: async () => 0,
    onReady: () => undefined,
    close: async () => undefined,
    publishWaiting: () => undefined,
    publishCanceled: () => undefined,
    publishEvents: () => undefined,
  };
  return queue;
}
