export interface BatcherOptions<In, Out> {
  /** Does many at once: answers in the order of the items. Rejecting fails them all, unless `isolate` says otherwise. */
  run(items: In[]): Promise<Out[]>;
  maxItems: number;
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
  const waiting: Waiting<In, Out>[] = [];
  let inFlight = 0;
  let scheduled = false;
  let timer: NodeJS.Timeout | undefined;

  function flush(): void {
    scheduled = false;
    clearTimeout(timer);
    timer = undefined;
    while (waiting.length > 0 && inFlight < options.maxInFlight) {
      const batch = waiting.splice(0, options.maxItems);
      inFlight++;
      options.onBatch?.(batch.length);
      void settle(options, batch).finally(() => {
        inFlight--;
        if (waiting.length > 0) flush();
      });
    }
  }

  return {
    add(item) {
      return new Promise((resolve, reject) => {
        waiting.push({ item, resolve, reject });
        if (inFlight === 0 || waiting.length >= options.maxItems) {
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
