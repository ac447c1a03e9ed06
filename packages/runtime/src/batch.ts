import { createFairQueue } from './fair-queue.js';

export interface BatcherOptions<In, Out> {
  /** Does many at once: answers in the order of the items. Rejecting fails them all, unless `isolate` says otherwise. */
  run(items: In[]): Promise<Out[]>;
  maxItems: number;
  /** How much of a batch an item takes, and how much a batch may hold; an item that alone is larger goes by itself. */
  size?: { of(item: In): number; max: number };
  /** Whose an item is: owners take turns when batches are made. Absent: items go in the order in which they came. */
  ownerOf?(item: In): string;
  /** How long items gather while a batch is on its way. */
  gatherMs: number;
  /** Batches on their way at once. */
  maxInFlight: number;
  /** Whether an error may be one item's fault: then each item of the batch is tried alone, so that one bad item fails alone. */
  isolate(error: unknown): boolean;
  /** Told of the size of every batch that goes out. */
  onBatch?(size: number): void;
}

export interface Batcher<In, Out> {
  /** Resolves with the item's own answer once its batch is done. */
  add(item: In): Promise<Out>;
}

interface Waiting<In, Out> {
  item: In;
  resolve(answer: Out): void;
  reject(error: unknown): void;
}

/**
 * Coalesces concurrent calls into few: the first goes out at once (with whatever else the same turn of the event loop
 * brings), those that come while a batch is on its way gather until it is back, at most `gatherMs`. So a lone call
 * pays no wait, and the busier it is the larger the batches grow.
 */
export function createBatcher<In, Out>(options: BatcherOptions<In, Out>): Batcher<In, Out> {
  const { size, ownerOf = () => '' } = options;
  const waiting = createFairQueue<Waiting<In, Out>>();
  let inFlight = 0;
  let scheduled = false;
  let timer: NodeJS.Timeout | undefined;

  function takeBatch(): Waiting<In, Out>[] {
    const batch: Waiting<In, Out>[] = [];
    let free = size?.max ?? Number.POSITIVE_INFINITY;
    for (let next = waiting.peek(); next && batch.length < options.maxItems; next = waiting.peek()) {
      free -= size?.of(next.item) ?? 0;
      if (free < 0 && batch.length > 0) break;
      waiting.shift();
      batch.push(next);
    }
    return batch;
  }

  function flush(): void {
    scheduled = false;
    clearTimeout(timer);
    timer = undefined;
    while (waiting.size > 0 && inFlight < options.maxInFlight) {
      const batch = takeBatch();
      inFlight++;
      options.onBatch?.(batch.length);
      void settle(options, batch).finally(() => {
        inFlight--;
        if (waiting.size > 0) flush();
      });
    }
  }

  return {
    add(item) {
      return new Promise((resolve, reject) => {
        waiting.push(ownerOf(item), { item, resolve, reject });
        if (inFlight === 0 || waiting.size >= options.maxItems) {
          if (!scheduled) {
            scheduled = true;
            setImmediate(flush);
          }
        } else timer ??= setTimeout(flush, options.gatherMs);
      });
    },
  };
}

async function settle<In, Out>(options: BatcherOptions<In, Out>, batch: Waiting<In, Out>[]): Promise<void> {
  try {
    const answers = await options.run(batch.map(({ item }) => item));
    batch.forEach(({ resolve, reject }, i) => {
      const answer = answers[i];
      if (answers.length === batch.length)
        resolve(answer as Out); // in range: the lengths agree
      else reject(new Error(`a batch of ${batch.length} gave ${answers.length} answers`));
    });
  } catch (error) {
    if (batch.length === 1 || !options.isolate(error)) {
      for (const { reject } of batch) reject(error);
    } else {
      for (const one of batch) await settle(options, [one]);
    }
  }
}
