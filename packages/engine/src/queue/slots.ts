interface Waiting {
  isLowPriority: boolean;
  answer(isTaken: boolean): void;
}

/**
 * How long an entry waits for a slot. An entry of normal priority can only wait for a slot that another entry took
 * first, so an idle worker should get it soon. A low-priority entry waits so long that jobs of a fifth of a second free
 * a slot before.
 */
const WAIT_MS = { normal: 50, low: 200 };

const RESERVED_SHARE = 1 / 10;

/** Returns how many of the slots are reserved for normal priority. Few slots leave none to reserve. */
export function reservedSlots(slots: number): number {
  return Math.floor(RESERVED_SHARE * slots);
}

export type Slots = ReturnType<typeof createSlots>;

/** The slots of a consumer: how many of its jobs run at the same time. Some are reserved for normal priority. */
export function createSlots(count: number) {
  const capacity = { all: count, low: count - reservedSlots(count) };
  const used = { all: 0, low: 0 };
  const waiting = new Set<Waiting>();
  let fetchers: (() => void)[] = [];
  let leaving = 0;
  let isStopped = false;

  function free(isLowPriority: boolean): number {
    const freeOfAll = capacity.all - used.all;
    return isLowPriority ? Math.min(freeOfAll, capacity.low - used.low) : freeOfAll;
  }

  function grant(wanted: number, isLowPriority: boolean): number {
    const taken = Math.min(wanted, free(isLowPriority));
    used.all += taken;
    if (isLowPriority) used.low += taken;
    return taken;
  }

  function refuse(isLowPriority: boolean): false {
    if (isLowPriority) leaving++;
    return false;
  }

  function mayFetch(): boolean {
    return !isStopped && free(false) > waiting.size;
  }

  function serve(): void {
    for (const isLowPriority of [false, true]) {
      const next = [...waiting].filter((one) => one.isLowPriority === isLowPriority);
      for (const one of next) if (grant(1, isLowPriority) > 0) one.answer(true);
    }
    if (!mayFetch()) return;
    const resolve = fetchers;
    fetchers = [];
    for (const fetch of resolve) fetch();
  }

  function wait(isLowPriority: boolean): Promise<boolean> {
    return new Promise((resolve) => {
      const own: Waiting = {
        isLowPriority,
        answer(isTaken) {
          clearTimeout(timer);
          waiting.delete(own);
          resolve(isTaken);
        },
      };
      const giveUp = () => {
        own.answer(refuse(isLowPriority));
        serve();
      };
      const timer = setTimeout(giveUp, isLowPriority ? WAIT_MS.low : WAIT_MS.normal);
      waiting.add(own);
    });
  }

  return {
    /**
     * Takes a slot: one that is free or that becomes free soon and before `endMs`. Entries that wait get slots by priority, and then
     * in the order in which they came. False: none became free in time, or the consumer stops. Then `left` must be called when the
     * entry is in its queue again.
     */
    async take(isLowPriority: boolean, endMs = Number.POSITIVE_INFINITY): Promise<boolean> {
      if (isStopped || performance.now() >= endMs) return refuse(isLowPriority);
      // All that wait are before it, unless they wait only because their priority is low.
      const isNext = [...waiting].every((one) => one.isLowPriority && !isLowPriority);
      return (isNext && grant(1, isLowPriority) > 0) || wait(isLowPriority);
    },
    left(isLowPriority: boolean): void {
      if (isLowPriority) leaving--;
    },
    /** Takes up to `wanted` of the slots that are free now, unless an entry waits for them. */
    takeFree: (wanted: number, isLowPriority: boolean): number =>
      isStopped || waiting.size > 0 || wanted <= 0 ? 0 : grant(wanted, isLowPriority),
    release(isLowPriority: boolean, count = 1): void {
      used.all -= count;
      if (isLowPriority) used.low -= count;
      serve();
    },
    /** How many slots entries of a priority may use at most. */
    capacityFor: (isLowPriority: boolean): number => (isLowPriority ? capacity.low : capacity.all),
    /** The number of free slots that entries of any priority could take now. */
    freeForAny: (): number => Math.max(0, free(true) - waiting.size),
    /**
     * Whether an entry of low priority waits for a slot, or got none and is not in its queue again yet. The next entry
     * of its priority would overtake it.
     */
    isLowWaiting: (): boolean => leaving > 0 || [...waiting].some((one) => one.isLowPriority),
    /** Resolves when a slot is free that no delivered entry waits for. */
    untilFree: (): Promise<void> =>
      mayFetch() ? Promise.resolve() : new Promise((resolve) => void fetchers.push(resolve)),
    /** Gives no slots until `start`. */
    stop(): void {
      isStopped = true;
      for (const one of waiting) one.answer(refuse(one.isLowPriority));
    },
    start(): void {
      isStopped = false;
      serve();
    },
  };
}
