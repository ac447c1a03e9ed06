import type { JobKey } from '@jobline/contracts';
import type { Enqueueable } from '@jobline/db/job-transitions';
import { chunkEntryId, entryId } from './names.js';

/** Identifies an entry of a queue. */
export interface EntryRef {
  queue: string;
  id: string;
}

/** An entry to add, with the delay until it may be delivered. */
export interface Entry extends EntryRef {
  /** The jobs that it carries: one, or a chunk. */
  keys: readonly JobKey[];
  delayMs: number;
  /** Whether it comes after all entries of its queue that have normal priority. */
  isLowPriority?: boolean;
}

/** Returns the entry that carries one job. */
export function entryOf(
  { key, queue, seq }: Enqueueable,
  options: { delayMs?: number; isLowPriority?: boolean } = {},
): Entry {
  return { queue, id: entryId(key, seq), keys: [key], delayMs: 0, ...options };
}

/** Identifies the entry that carries a chunk of jobs that were submitted together, by the first of them. */
export function submittedChunk(queue: string, firstKey: JobKey): EntryRef {
  return { queue, id: chunkEntryId(firstKey, 1) };
}
