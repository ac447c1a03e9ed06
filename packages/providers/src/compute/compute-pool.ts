import { type ComputeChild, type MemoryLimits, startComputeChild } from './compute-child.js';
import { ForcedEnd, notNow } from './compute-errors.js';
import type { ToCompute } from './compute-messages.js';
import { createComputeQueue, type QueueLimits, type Waiting } from './compute-queue.js';
import type { TaskInput, TaskName, TaskOutput } from './tasks.js';

export interface PoolOptions {
  /** How many tasks run at once, each in a process of its own. */
  processes: number;
  memory: MemoryLimits;
  queue: QueueLimits;
  /** How long a key waits for its next turn after one of its tasks had its process killed. 0: it does not wait. */
  pauseMs: number;
  /** A process that had nothing to do for so long is ended. Absent: it is kept. */
  idleMs?: number;
}

export interface TaskOptions {
  /** Whose task it is: keys take turns. */
  key: string;
  /** About, of the input: what it costs to let it wait. */
  sizeBytes: number;
  /** In processor time, from the moment the task begins. */
  deadlineMs: number;
  /** A task that nobody waits for any more leaves the queue, or has its process killed. */
  signal?: AbortSignal | undefined;
}

/** Child processes for tasks on content that callers choose: whatever a task does, it can only end its own process. */
export interface ComputePool {
  /**
   * Rejects with what the task throws, with ForcedEnd when it took too long or too much memory, with the signal's reason,
   * or with RetryLater when too many wait or no process could be had.
   */
  run<K extends TaskName>(task: K, input: TaskInput<K>, options: TaskOptions): Promise<TaskOutput<K>>;
  /** Of the processes that there are. */
  pids(): number[];
  /** Ends the processes. What waits is rejected. */
  close(): Promise<void>;
}

interface Slot {
  child: ComputeChild | null;
  isBusy: boolean;
  idleTimer?: NodeJS.Timeout;
}

interface Entry extends Waiting {
  request: ToCompute;
  options: TaskOptions;
  resolve(output: unknown): void;
  reject(error: unknown): void;
}

/** Starts nothing yet: a process comes with the first task that needs it, and a killed one is replaced likewise. */
export function createComputePool({ processes, memory, queue: limits, pauseMs, idleMs }: PoolOptions): ComputePool {
  const slots: Slot[] = Array.from({ length: processes }, () => ({ child: null, isBusy: false }));
  const queue = createComputeQueue<Entry>(limits);
  let pauseTimer: NodeJS.Timeout | undefined;
  let isClosed = false;

  /** Gives what waits to the processes that are free. */
  function assign(): void {
    clearTimeout(pauseTimer);
    for (let slot = freeSlot(); slot; slot = freeSlot()) {
      const entry = queue.take();
      if (!entry) {
        const pausedForMs = queue.pausedForMs();
        if (pausedForMs !== null) pauseTimer = setTimeout(assign, Math.ceil(pausedForMs));
        return;
      }
      void runIn(slot, entry);
    }
  }

  /** One whose process runs already, if there is one. */
  function freeSlot(): Slot | undefined {
    const free = slots.filter(({ isBusy }) => !isBusy);
    return free.find(({ child }) => child?.isUsable()) ?? free[0];
  }

  async function runIn(slot: Slot, { key, request, options, resolve, reject }: Entry): Promise<void> {
    clearTimeout(slot.idleTimer);
    slot.isBusy = true;
    try {
      if (!slot.child?.isUsable()) slot.child = startComputeChild(memory);
      const { deadlineMs, signal } = options;
      resolve(await slot.child.ask(request, { deadlineMs, signal }));
    } catch (error) {
      const wasKilled = error instanceof ForcedEnd || options.signal?.aborted === true;
      if (wasKilled) queue.pause(key, pauseMs);
      reject(error);
    } finally {
      slot.isBusy = false;
      if (idleMs !== undefined) slot.idleTimer = setTimeout(() => void slot.child?.end(), idleMs).unref();
      assign();
    }
  }

  return {
    run<K extends TaskName>(task: K, input: TaskInput<K>, options: TaskOptions): Promise<TaskOutput<K>> {
      const { key, sizeBytes, signal } = options;
      return new Promise((resolve, reject) => {
        signal?.throwIfAborted();
        if (isClosed) throw notNow('the process stops');
        const settled = () => signal?.removeEventListener('abort', onAbort);
        const entry: Entry = {
          key,
          sizeBytes,
          // The cast: a task and its own input.
          request: { task, input } as ToCompute,
          options,
          resolve(output) {
            settled();
            // The cast: a task returns its own output.
            resolve(output as TaskOutput<K>);
          },
          reject(error) {
            settled();
            reject(error);
          },
        };
        const onAbort = () => {
          queue.remove(entry);
          entry.reject(signal?.reason);
        };
        queue.add(entry);
        signal?.addEventListener('abort', onAbort, { once: true });
        assign();
      });
    },
    pids: () => slots.flatMap(({ child }) => (child?.isUsable() && child.pid !== undefined ? [child.pid] : [])),
    async close() {
      isClosed = true;
      clearTimeout(pauseTimer);
      for (const entry of queue.clear()) entry.reject(notNow('the process stops'));
      await Promise.all(slots.flatMap(({ child }) => (child ? [child.end()] : [])));
    },
  };
}
