/** Limits the total weight of running works. Owners take turns, and each turn of the event loop starts one work. */
export interface WeightLimiter {
  /**
   * Resolves, once there is capacity for the weight, with a function that releases it; that function is safe to call
   * twice. Rejects with the signal's reason if the signal fires before.
   */
  take(owner: string, weight: number, signal: AbortSignal): Promise<() => void>;
}

export interface WeightLimiterOptions {
  /** A work heavier than the whole capacity starts when nothing else runs. */
  capacity: number;
  /** How many works of one owner run at the same time. Absent: any number. */
  maxPerOwner?: number;
  /** The total weight of one owner's works, unless it is a single one. Absent: the whole capacity. */
  maxWeightPerOwner?: number;
}

interface Waiting {
  weight: number;
  start(): void;
}

export function createWeightLimiter(options: WeightLimiterOptions): WeightLimiter {
  const { capacity, maxPerOwner = Number.POSITIVE_INFINITY, maxWeightPerOwner = capacity } = options;
  let usedWeight = 0;
  /** Owner → its running works. Every owner in the map has one. */
  const running = new Map<string, { count: number; weight: number }>();
  /** The order of the owners is the order of their turns. */
  const queues = new Map<string, Waiting[]>();

  let isScheduled = false;

  function schedule(): void {
    if (isScheduled) return;
    isScheduled = true;
    setImmediate(startNext);
  }

  function startNext(): void {
    isScheduled = false;
    for (const [owner, [next, ...others]] of queues) {
      const own = running.get(owner);
      if (own && (own.count >= maxPerOwner || own.weight + (next?.weight ?? 0) > maxWeightPerOwner)) continue;
      // No lighter work overtakes the one whose turn it is: a heavy one would never find enough capacity.
      if (!next || (usedWeight + next.weight > capacity && running.size > 0)) return;
      setQueue(owner, others);
      next.start();
      schedule();
      return;
    }
  }

  /** Moves the owner behind the others. */
  function setQueue(owner: string, queue: Waiting[]): void {
    queues.delete(owner);
    if (queue.length > 0) queues.set(owner, queue);
  }

  function addRunning(owner: string, count: 1 | -1, weight: number): void {
    usedWeight += weight;
    const own = running.get(owner) ?? { count: 0, weight: 0 };
    const left = { count: own.count + count, weight: own.weight + weight };
    if (left.count > 0) running.set(owner, left);
    else running.delete(owner);
  }

  return {
    take(owner, weight, signal) {
      return new Promise((resolve, reject) => {
        const giveUp = () => {
          queues.set(owner, queues.get(owner)?.filter((other) => other !== one) ?? []);
          if (queues.get(owner)?.length === 0) queues.delete(owner);
          reject(signal.reason);
        };
        const one: Waiting = {
          weight,
          start() {
            signal.removeEventListener('abort', giveUp);
            addRunning(owner, 1, weight);
            let isHeld = true;
            resolve(() => {
              if (!isHeld) return;
              isHeld = false;
              addRunning(owner, -1, -weight);
              schedule();
            });
          },
        };
        if (signal.aborted) return reject(signal.reason);
        signal.addEventListener('abort', giveUp, { once: true });
        const own = queues.get(owner);
        if (own) own.push(one);
        else queues.set(owner, [one]);
        schedule();
      });
    },
  };
}
