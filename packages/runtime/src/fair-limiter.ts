import { createFairQueue } from './fair-queue.js';

/**
 * Limits how many tasks run at the same time, in total and of each owner. Tasks that must wait start as soon as they may:
 * one task of each waiting owner, then the next of each.
 */
export interface FairLimiter {
  /** Runs the task when its turn comes. Rejects like `take`; then the task never starts. */
  run<T>(task: () => Promise<T>, request?: LimiterRequest): Promise<T>;
  /**
   * Resolves, when the turn of the task comes, with a function to call when the task has ended; that function is safe to
   * call twice. Rejects with the signal's reason if the signal fires before, and with `tooMany` if the queue is full or
   * the task has waited too long.
   */
  take(request?: LimiterRequest): Promise<() => void>;
  /** How many tasks wait. */
  waiting(): number;
}

interface LimiterRequest {
  /** Absent: all such tasks have one owner, so they start in the order of the calls. */
  owner?: string;
  /** Default: 1. */
  weight?: number;
  signal?: AbortSignal;
}

export interface FairLimiterOptions {
  /** The total weight of running tasks. A task that is heavier starts when nothing else runs. Absent: any weight. */
  capacity?: number;
  /**
   * How many tasks of one owner run at the same time. Absent: any number. `shared`: as long as several owners had tasks within
   * the last second, so that one owner alone may use more.
   */
  perOwner?: number | { alone: number; shared: number };
  /** The total weight of one owner's running tasks, unless it is a single one. Absent: the whole capacity. */
  weightPerOwner?: number;
  /** How many tasks of one owner may wait. Absent: the callers must bound how many wait. */
  maxQueued?: number;
  /** How long a task may wait. Absent: for as long as its signal allows. */
  waitMs?: number;
  /** Creates the error for a task that exceeds `maxQueued` or `waitMs`. */
  tooMany?(): Error;
  /** Starts one task in each turn of the event loop, so that other callbacks run in between. Default: no pause. */
  isPaced?: boolean;
}

interface Waiting {
  owner: string;
  weight: number;
  start(): void;
}

const NO_REQUEST: LimiterRequest = {};
const LATELY_MS = 1_000;

export function createFairLimiter({
  capacity = Number.POSITIVE_INFINITY,
  perOwner = Number.POSITIVE_INFINITY,
  weightPerOwner = capacity,
  maxQueued = Number.POSITIVE_INFINITY,
  waitMs,
  tooMany = () => new Error('too many tasks wait'),
  isPaced = false,
}: FairLimiterOptions): FairLimiter {
  const waiting = createFairQueue<Waiting>();
  /** Owner → its running tasks. Every owner in the map has some. */
  const running = new Map<string, { count: number; weight: number }>();
  let usedWeight = 0;
  let isScheduled = false;
  const counts = typeof perOwner === 'number' ? { alone: perOwner, shared: perOwner } : perOwner;
  let latestOwner: string | undefined;
  let sharedUntil = 0;
  let willLookAgain = false;

  function noteOwner(owner: string): void {
    if (latestOwner !== undefined && owner !== latestOwner) sharedUntil = performance.now() + LATELY_MS;
    latestOwner = owner;
  }

  function mayOwnerStart(owner: string, weight: number): boolean {
    const own = running.get(owner);
    if (!own) return true;
    const sharedMs = sharedUntil - performance.now();
    if (sharedMs > 0 && own.count >= counts.shared && own.count < counts.alone) lookAgain(sharedMs);
    return own.count < (sharedMs > 0 ? counts.shared : counts.alone) && own.weight + weight <= weightPerOwner;
  }

  /** Gives owners more when they no longer share. */
  function lookAgain(afterMs: number): void {
    if (willLookAgain) return;
    willLookAgain = true;
    const look = () => {
      willLookAgain = false;
      for (const owner of running.keys()) waiting.resume(owner);
      startWaiting();
    };
    setTimeout(look, Math.ceil(afterMs)).unref();
  }

  const hasCapacity = (weight: number) => usedWeight + weight <= capacity || running.size === 0;

  /** Returns undefined if the task may start at once, so that a limiter that is not busy takes no time. */
  function enter(request: LimiterRequest): Promise<void> | undefined {
    const { owner = '', weight = 1, signal } = request;
    signal?.throwIfAborted();
    noteOwner(owner);
    if (waiting.sizeOf(owner) >= maxQueued) throw tooMany();
    const isFirst = waiting.peek() === undefined && waiting.sizeOf(owner) === 0;
    if (!isPaced && isFirst && mayOwnerStart(owner, weight) && hasCapacity(weight)) {
      addRunning(owner, weight);
      return undefined;
    }
    return wait(owner, weight, signal);
  }

  function wait(owner: string, weight: number, signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const abandon = (reason: unknown) => {
        stopWaiting();
        waiting.remove(owner, one);
        reject(reason);
        // A lighter task may have waited behind this one.
        waiting.resume(owner);
        startWaiting();
      };
      const onAbort = () => abandon(signal?.reason);
      const timer = waitMs === undefined ? undefined : setTimeout(() => abandon(tooMany()), waitMs).unref();
      const stopWaiting = () => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', onAbort);
      };
      const one: Waiting = {
        owner,
        weight,
        start() {
          stopWaiting();
          addRunning(owner, weight);
          resolve();
        },
      };
      signal?.addEventListener('abort', onAbort, { once: true });
      waiting.push(owner, one);
      startWaiting();
    });
  }

  function startWaiting(): void {
    if (!isPaced) {
      while (startNext());
    } else if (!isScheduled && waiting.size > 0) {
      isScheduled = true;
      setImmediate(() => {
        isScheduled = false;
        if (startNext()) startWaiting();
      });
    }
  }

  /** Returns whether a task was started. */
  function startNext(): boolean {
    for (let next = waiting.peek(); next && (usedWeight < capacity || running.size === 0); next = waiting.peek()) {
      if (!mayOwnerStart(next.owner, next.weight)) {
        // Until one of its tasks ends.
        waiting.pause(next.owner);
        continue;
      }
      // No lighter task overtakes the one whose turn it is: a heavy one would never find enough capacity.
      if (!hasCapacity(next.weight)) return false;
      waiting.shift();
      next.start();
      return true;
    }
    return false;
  }

  function addRunning(owner: string, weight: number): void {
    usedWeight += weight;
    const own = running.get(owner);
    if (own) {
      own.count++;
      own.weight += weight;
    } else running.set(owner, { count: 1, weight });
  }

  function leave({ owner = '', weight = 1 }: LimiterRequest): void {
    usedWeight -= weight;
    const own = running.get(owner);
    if (own && own.count > 1) {
      own.count--;
      own.weight -= weight;
    } else running.delete(owner);
    waiting.resume(owner);
    startWaiting();
  }

  return {
    waiting: () => waiting.size,
    async run(task, request = NO_REQUEST) {
      await enter(request);
      try {
        return await task();
      } finally {
        leave(request);
      }
    },
    async take(request = NO_REQUEST) {
      await enter(request);
      let isHeld = true;
      return () => {
        if (!isHeld) return;
        isHeld = false;
        leave(request);
      };
    },
  };
}
