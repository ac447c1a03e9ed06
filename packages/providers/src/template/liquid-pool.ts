import type { Filled, Liquid } from '@jobline/handlers/ports';
import { ForcedEnd } from '../compute/compute-errors.js';
import { createComputePool } from '../compute/compute-pool.js';
import { cannotRender } from './cannot-render.js';

export interface LiquidOptions {
  /** In processor time, of one rendering, its parsing aside. */
  renderLimitMs: number;
  /** How many texts of one organization may wait. */
  waitingPerOrg?: number;
  /** How many texts may wait. */
  waitingInAll?: number;
  /** How long they may be together, with their data. */
  waitingBytes?: number;
  /** How long an organization waits for its next turn after a text of it was ended by force. */
  pauseMs?: number;
}

/** Parsing has no limit of its own, nor has a single filter: what takes so much longer is ended with its process. */
const GRACE_MS = 1_000;
/** Small beside what a container of the API may use (512 MiB), and enough for the largest template and data. */
const MEMORY = { heapMb: 128, dataMb: 320 };
const WAITING_PER_ORG = 20;
const WAITING_IN_ALL = 200;
/** Whoever waits holds its data in its parsed form, too, which may take twenty times as much. */
const WAITING_BYTES = 8 * 1024 * 1024;
const PAUSE_MS = 5_000;

/**
 * Liquid in a child process: no template can hold up or end this one. The process comes with the first text, works on one
 * at a time and is replaced when a text has ended it.
 */
export function createLiquid({
  renderLimitMs,
  waitingPerOrg = WAITING_PER_ORG,
  waitingInAll = WAITING_IN_ALL,
  waitingBytes = WAITING_BYTES,
  pauseMs = PAUSE_MS,
}: LiquidOptions): Liquid & { close(): Promise<void> } {
  const pool = createComputePool({
    processes: 1,
    memory: MEMORY,
    queue: {
      perKey: waitingPerOrg,
      perPausedKey: Math.min(waitingPerOrg, WAITING_PER_ORG),
      total: waitingInAll,
      totalBytes: waitingBytes,
    },
    pauseMs,
  });
  const deadlineMs = renderLimitMs + GRACE_MS;
  return {
    fill(orgId, source, data, format, signal) {
      // As text: its size is known, and what is parsed takes many times as much memory.
      const dataJson = JSON.stringify(data);
      const options = { key: orgId, sizeBytes: source.length + dataJson.length, deadlineMs, signal };
      return orRefusal<Filled>(pool.run('fill', { source, dataJson, format, renderLimitMs }, options));
    },
    variables: (orgId, source, signal) =>
      orRefusal(pool.run('variables', { source }, { key: orgId, sizeBytes: source.length, deadlineMs, signal })),
    close: () => pool.close(),
  };
}

async function orRefusal<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw error instanceof ForcedEnd ? cannotRender(error.message, error) : error;
  }
}
