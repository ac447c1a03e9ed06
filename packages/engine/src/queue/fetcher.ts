import { pause } from '@jobline/runtime';
import { type Job, Worker } from 'bullmq';
import { listKey } from './bullmq-keys.js';
import type { Connection } from './connection.js';
import { queuePrefix } from './names.js';

/** An entry that was fetched. It is locked until it is finished or returned. */
export interface Fetched {
  entry: Job;
  token: string;
}

interface FetcherOptions {
  connection: Connection;
  prefix: string;
  queue: string;
  leaseMs: number;
  onError(error: unknown): void;
  /** Called synchronously, so that the slots of the entry are in use before the next fetch. */
  onFetched(fetched: Fetched): void;
}

const FETCH_FAILED_DELAY_MS = 1_000;

/** Fetches the entries of a queue. */
export function createFetcher(options: FetcherOptions) {
  const { connection, prefix, queue, onError } = options;
  const worker = openWorker(options);
  /** Whether the last fetch found too few entries. */
  let isDrained = false;
  let isClosed = false;
  let fetched = 0;

  /** Fetches an entry. Returns false if there is none. */
  async function fetchOne(block: boolean): Promise<boolean> {
    const token = `${worker.id}:${fetched++}`;
    try {
      const entry = await worker.getNextJob(token, { block });
      if (entry) options.onFetched({ entry, token });
      return entry !== undefined;
    } catch (error) {
      if (isClosed) return false;
      onError(error);
      await pause(FETCH_FAILED_DELAY_MS);
      return false;
    }
  }

  async function hasNormalEntries(): Promise<boolean> {
    try {
      return (await connection.llen(listKey(prefix, queue, 'wait'))) > 0;
    } catch (error) {
      if (!isClosed) onError(error);
      return false;
    }
  }

  return {
    start: (): Promise<void> => worker.startStalledCheckTimer(),
    /**
     * Fetches up to `count` entries at the same time, and calls back with each. Returns false if there were fewer. With
     * `isNormalOnly` it fetches only if there are entries of normal priority, and returns null if there are none. If the last
     * fetch found too few and `mayBlock` is set, it waits for the next entry.
     */
    async fetch(ask: { count: number; isNormalOnly: boolean; mayBlock: boolean }): Promise<boolean | null> {
      if (ask.isNormalOnly && !(await hasNormalEntries())) return null;
      const blocks = ask.mayBlock && !ask.isNormalOnly && isDrained;
      const results = await Promise.all(Array.from({ length: blocks ? 1 : ask.count }, () => fetchOne(blocks)));
      isDrained = !results.every(Boolean);
      return !isDrained;
    },
    pause: (): Promise<void> => worker.pause(true),
    async resume(): Promise<void> {
      await worker.resume();
      await worker.startStalledCheckTimer();
    },
    close(): Promise<void> {
      isClosed = true;
      return worker.close(true);
    },
  };
}

function openWorker({ connection, prefix, queue, leaseMs, onError }: FetcherOptions): Worker {
  const worker = new Worker(queue, null, {
    connection,
    prefix: queuePrefix(prefix, queue),
    // An entry that a dead worker has fetched and not finished is delivered again.
    lockDuration: leaseMs,
    stalledInterval: leaseMs,
    // Crashes are counted in Postgres. Above this number BullMQ would fail an entry without delivering it.
    maxStalledCount: Number.MAX_SAFE_INTEGER,
    removeOnComplete: { count: 0 },
    removeOnFail: { count: 0 },
  });
  worker.on('error', onError);
  return worker;
}
