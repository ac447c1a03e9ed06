import { AsyncLocalStorage } from 'node:async_hooks';
import { createFairQueue } from './fair-queue.js';

export interface BatcherOptions<In, Out> {
  /**
   * Processes many items: returns the answers in the order of the items. A rejection fails all items, unless `isolate`
   * returns true.
   */
  run(items: In[]): Promise<Out[]>;
  maxItems: number;
  /** The size of an item, and the highest size of a batch; a larger item forms its own batch. */
  size?: { of(item: In): number; max: number };
  /** The owner of an item: owners take turns when batches are made. Absent: items are taken in the order of arrival. */
  ownerOf?(item: In): string;
  /** How long items gather while a batch is running. */
  gatherMs: number;
  /** How many batches run at the same time. */
  maxInFlight: number;
  /**
   * Whether the cause of an error may be a single item: then each item of the batch is tried alone, so that only the
   * bad item fails.
   */
  isolate(error: unknown): boolean;
  /** Called with the size of every batch that starts. */
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
 * Combines concurrent calls into few batches. The first call goes out at once, together with the others of the same
 * turn of the event loop; calls that arrive while a batch is running gather until it ends, for `gatherMs` at most. So a
 * single call does not wait, and batches grow with the load. A batch runs in the asynchronous context in which the batcher was
 * created, because it has the items of many callers.
 */
export function createBatcher<In, Out>(options: BatcherOptions<In, Out>): Batcher<In, Out> {
  const { size, ownerOf = () => '' } = options;
  const waiting = createFairQueue<Waiting<In, Out>>();
  const inOwnContext = AsyncLocalStorage.snapshot();
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
      void inOwnContext(settle<In, Out>, options, batch).finally(() => {
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
