import { type ComputeChild, ForcedEnd, type MemoryLimits, notNow, startComputeChild } from './compute-child.js';
import { createComputeQueue, type QueueLimits, type Waiting } from './compute-queue.js';
import type { TaskInput, TaskName, TaskOutput, ToCompute } from './tasks.js';

export interface PoolOptions {
  /** How many tasks run at a time, each in its own process. */
  processes: number;
  memory: MemoryLimits;
  queue: QueueLimits;
  /** How long an owner is paused after the process of one of its tasks was killed. 0: no pause. */
  pauseMs: number;
  /** A process that is idle for this long is ended. Absent: it is kept. */
  idleMs?: number;
}

export interface TaskOptions {
  /** Owners take turns. */
  owner: string;
  /** The approximate size of the input: the memory that it needs while it waits. */
  sizeBytes: number;
  /** In processor time, from the start of the task. */
  deadlineMs: number;
  /** When it is aborted, the task leaves the queue, or its process is killed. */
  signal?: AbortSignal | undefined;
}

/** Child processes for tasks on content that callers choose. A task can only end its own process. */
export interface ComputePool {
  /**
   * Runs a task. Rejects with the error of the task, with ForcedEnd if it took too much time or memory, with the reason
   * of the signal, or with RetryLater if too many tasks wait or no process was available.
   */
  run<K extends TaskName>(task: K, input: TaskInput<K>, options: TaskOptions): Promise<TaskOutput<K>>;
  /** The ids of the running processes. */
  pids(): number[];
  /** Ends the processes. Waiting tasks are rejected. */
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

/**
 * Creates the pool without starting a process. A process is started with the first task that needs it, and a killed one
 * is replaced in the same way.
 */
export function createComputePool({ processes, memory, queue: limits, pauseMs, idleMs }: PoolOptions): ComputePool {
  const slots: Slot[] = Array.from({ length: processes }, () => ({ child: null, isBusy: false }));
  const queue = createComputeQueue<Entry>(limits);
  /** The timers that end the pauses, by owner. */
  const pauses = new Map<string, NodeJS.Timeout>();
  let isClosed = false;

  /** Assigns waiting tasks to free processes. */
  function assign(): void {
    for (let slot = freeSlot(); slot; slot = freeSlot()) {
      const entry = queue.take();
      if (!entry) return;
      void runIn(slot, entry);
    }
  }

  function pause(owner: string): void {
    if (pauseMs === 0 || isClosed) return;
    clearTimeout(pauses.get(owner));
    queue.pause(owner);
    pauses.set(
      owner,
      setTimeout(() => {
        resume(owner);
        assign();
      }, pauseMs),
    );
  }

  function resume(owner: string): void {
    clearTimeout(pauses.get(owner));
    pauses.delete(owner);
    queue.resume(owner);
  }

  /** A free slot, preferably one whose process is running. */
  function freeSlot(): Slot | undefined {
    const free = slots.filter(({ isBusy }) => !isBusy);
    return free.find(({ child }) => child?.isUsable()) ?? free[0];
  }

  async function runIn(slot: Slot, { owner, request, options, resolve, reject }: Entry): Promise<void> {
    clearTimeout(slot.idleTimer);
    slot.isBusy = true;
    try {
      if (!slot.child?.isUsable()) slot.child = startComputeChild(memory);
      const { deadlineMs, signal } = options;
      resolve(await slot.child.ask(request, { deadlineMs, signal }));
    } catch (error) {
      const wasKilled = error instanceof ForcedEnd || options.signal?.aborted === true;
      if (wasKilled) pause(owner);
      reject(error);
    } finally {
      slot.isBusy = false;
      if (idleMs !== undefined) slot.idleTimer = setTimeout(() => void slot.child?.end(), idleMs).unref();
      assign();
    }
  }

  return {
    run<K extends TaskName>(task: K, input: TaskInput<K>, options: TaskOptions): Promise<TaskOutput<K>> {
      const { owner, sizeBytes, signal } = options;
      return new Promise((resolve, reject) => {
        signal?.throwIfAborted();
        if (isClosed) throw notNow('the process is stopping');
        const settled = () => signal?.removeEventListener('abort', onAbort);
        const entry: Entry = {
          owner,
          sizeBytes,
          // The cast: the input belongs to the task.
          request: { task, input } as ToCompute,
          options,
          resolve(output) {
            settled();
            // The cast: the output belongs to the task.
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
      for (const owner of pauses.keys()) resume(owner);
      for (let entry = queue.take(); entry; entry = queue.take()) entry.reject(notNow('the process is stopping'));
      await Promise.all(slots.flatMap(({ child }) => (child ? [child.end()] : [])));
    },
  };
}
