import { pause, within } from '@jobline/runtime';
import { type Job, Worker } from 'bullmq';
import type { Connection } from './connection.js';
import { listKey, queuePrefix } from './names.js';
import { shardNames } from './shards.js';

/** An entry that was fetched. It is locked until it is finished or returned. */
export interface Fetched {
  entry: Job;
  token: string;
  /** The name of its shard. */
  shard: string;
}

/** Fetches the entries of all shards of a queue. The shards take turns. */
export interface Fetcher {
  start(): Promise<void>;
  /**
   * Fetches up to `count` entries at the same time, and calls back with each. Returns false if a shard had fewer. With
   * `isNormalOnly` it fetches from shards that have entries of normal priority, and returns null if there are none.
   *
   * A shard without entries waits for its next one, if `mayBlock`, without delaying the others. So this entry comes
   * whether or not a slot is free then. If all shards wait, the call waits with them.
   */
  fetch(options: { count: number; isNormalOnly: boolean; mayBlock: boolean }): Promise<boolean | null>;
  pause(): Promise<void>;
  resume(): Promise<void>;
  close(): Promise<void>;
}

export interface FetcherOptions {
  connection: Connection;
  prefix: string;
  queue: string;
  shards: number;
  leaseMs: number;
  onError(error: unknown): void;
  /** Called synchronously, so that the slots of the entry are in use before the next fetch. */
  onFetched(fetched: Fetched): void;
}

interface Shard {
  name: string;
  worker: Worker;
  /** Whether the last fetch found no entry. */
  isDrained: boolean;
  /** Whether a fetch waits for an entry, or for a master that does not answer. */
  isBlocked: boolean;
}

const FETCH_FAILED_DELAY_MS = 1_000;
/** The other shards do not wait longer for one whose master does not answer. */
const TURN_LIMIT_MS = 100;

export function createFetcher(options: FetcherOptions): Fetcher {
  const { connection, prefix, onError } = options;
  /** Those that were fetched from last are the last ones. */
  let shards = shardNames(options.queue, options.shards).map((name) => openShard(name, options));
  let isClosed = false;
  let fetched = 0;
  /** Requests for the numbers of normal entries. A master that does not answer has only one. */
  const lengths = new Map<string, Promise<number>>();
  let onUnblocked = (_isFetched: boolean): void => undefined;

  /** Fetches an entry. Returns false if there is none. */
  async function fetchOne({ name, worker }: Shard, block: boolean): Promise<boolean> {
    const token = `${worker.id}:${fetched++}`;
    try {
      const entry = await worker.getNextJob(token, { block });
      if (entry) options.onFetched({ entry, token, shard: name });
      return entry !== undefined;
    } catch (error) {
      if (isClosed) return false;
      onError(error);
      await pause(FETCH_FAILED_DELAY_MS);
      return false;
    }
  }

  async function fetchFrom(shard: Shard, count: number, block: boolean): Promise<boolean> {
    shard.isBlocked = true;
    const results = await Promise.all(Array.from({ length: count }, () => fetchOne(shard, block)));
    const isFetched = results.every(Boolean);
    shard.isDrained = !isFetched;
    shard.isBlocked = false;
    onUnblocked(isFetched);
    return isFetched;
  }

  /** Resolves when a shard is no longer blocked, and returns whether it had an entry. */
  function untilUnblocked(): Promise<boolean> {
    return new Promise((resolve) => {
      onUnblocked = resolve;
    });
  }

  function normalEntries({ name }: Shard): Promise<number> {
    const length =
      lengths.get(name) ?? connection.llen(listKey(prefix, name, 'wait')).finally(() => lengths.delete(name));
    lengths.set(name, length);
    return length;
  }

  async function withNormalEntries(some: readonly Shard[]): Promise<readonly Shard[]> {
    try {
      const counts = await Promise.all(some.map((shard) => within(TURN_LIMIT_MS, normalEntries(shard), () => 0)));
      return some.filter((_, n) => (counts[n] ?? 0) > 0);
    } catch (error) {
      onError(error);
      return [];
    }
  }

  async function eachWorker(work: (worker: Worker) => Promise<void>): Promise<void> {
    await Promise.all(shards.map(({ worker }) => work(worker)));
  }

  return {
    start: () => eachWorker((worker) => worker.startStalledCheckTimer()),
    async fetch({ count, isNormalOnly, mayBlock }) {
      const open = shards.filter(({ isBlocked }) => !isBlocked);
      if (open.length === 0) return untilUnblocked();
      const ready = isNormalOnly ? await withNormalEntries(open) : open;
      if (ready.length === 0) return null;
      const drained = mayBlock && !isNormalOnly ? ready.filter(({ isDrained }) => isDrained) : [];
      for (const shard of drained) void fetchFrom(shard, 1, true);
      const next = ready.filter((shard) => !drained.includes(shard)).slice(0, count);
      if (next.length === 0) return untilUnblocked();
      shards = [...shards.filter((shard) => !next.includes(shard)), ...next];
      const results = next.map((shard, n) => {
        const fetching = fetchFrom(shard, Math.ceil((count - n) / next.length), false);
        return shards.length === 1 ? fetching : within(TURN_LIMIT_MS, fetching, () => false);
      });
      return (await Promise.all(results)).every(Boolean);
    },
    pause: () => eachWorker((worker) => worker.pause(true)),
    resume: () =>
      eachWorker(async (worker) => {
        await worker.resume();
        await worker.startStalledCheckTimer();
      }),
    close() {
      isClosed = true;
      return eachWorker((worker) => worker.close(true));
    },
  };
}

function openShard(name: string, { connection, prefix, leaseMs, onError }: FetcherOptions): Shard {
  const worker = new Worker(name, null, {
    connection,
    prefix: queuePrefix(prefix, name),
    // An entry that a dead worker has fetched and not finished is delivered again.
    lockDuration: leaseMs,
    stalledInterval: leaseMs,
    // Crashes are counted in Postgres. Above this number BullMQ would fail an entry without delivering it.
    maxStalledCount: Number.MAX_SAFE_INTEGER,
    removeOnComplete: { count: 0 },
    removeOnFail: { count: 0 },
  });
  worker.on('error', onError);
  return { name, worker, isDrained: false, isBlocked: false };
}
