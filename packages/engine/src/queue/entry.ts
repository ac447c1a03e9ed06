import type { JobKey } from '@jobline/contracts';
import type { Enqueueable } from '@jobline/db/job-transitions';

/** Identifies an entry of a queue. */
export interface EntryRef {
  queue: string;
  id: string;
}

/** What the entries of a queue differ in for their deliveries. */
export interface EntryKind {
  /** Whether it comes after all entries of its queue that have normal priority. */
  isLowPriority?: boolean;
  /** The lane of its job, which was held when the entry was added: its claim begins with the limits. */
  lane?: string | null;
  /** Whether the submission of this held job added it: if the job cannot start now, the entry is dropped, and the dispatcher decides. */
  isDirect?: boolean;
}

/** What the delivery of an entry needs to know of it. */
export type DeliveredEntry = EntryKind & Pick<EntryRef, 'queue'>;

/** An entry to add, with the delay until it may be delivered. */
export interface Entry extends EntryRef, EntryKind {
  /** The jobs that it carries: one, or a chunk. */
  keys: readonly JobKey[];
  delayMs: number;
}

/** Returns the entry that carries one job. */
export function entryOf({ key, queue, seq }: Enqueueable, options: EntryKind & { delayMs?: number } = {}): Entry {
  return { queue, id: entryId(key, seq), keys: [key], delayMs: 0, ...options };
}

/** Identifies the entry that carries a chunk of jobs that were submitted together, by the first of them. */
export function submittedChunk(queue: string, firstKey: JobKey): EntryRef {
  return { queue, id: chunkEntryId(firstKey, 1) };
}

/** The name of every entry. */
export const ENTRY_NAME = 'job';

/**
 * Returns the id of the entry of one job: `<key>-<n>`. BullMQ ignores an add whose id it still remembers, so each add of
 * a job has its own id.
 */
export function entryId(key: JobKey, seq: number): string {
  return `${key}-${seq}`;
}

/**
 * Returns the id of the entry of a chunk: `<key of its first job>-c<n>`. Chunks of one first job have different numbers.
 */
export function chunkEntryId(firstKey: JobKey, n: number): string {
  return `${firstKey}-c${n}`;
}

/** Returns the key of the job of an entry, or of the first job of a chunk. */
export function keyOfEntry(id: string): JobKey {
  // The cast: only the functions above make these ids.
  return id.slice(0, id.lastIndexOf('-')) as JobKey;
}

const MAX_CHUNK = 25;
const SHARE_OF_SLOTS = 1 / 8;

/**
 * Returns how many jobs one entry of a queue may carry. `slots` are those of its worker with the fewest: a chunk must be
 * a small part of what a worker runs at the same time, because usually one worker runs all of it.
 */
export function chunkSize(slots: number): number {
  return Math.max(1, Math.min(MAX_CHUNK, Math.floor(SHARE_OF_SLOTS * slots)));
}

/** Divides jobs into chunks. A chunk has at most `sizeOf` jobs of one group, in their order. */
export function inChunks<J>(
  jobs: readonly J[],
  groupOf: (job: J) => string,
  sizeOf: (job: J) => number,
): [J, ...J[]][] {
  const chunks: [J, ...J[]][] = [];
  const open = new Map<string, [J, ...J[]]>();
  for (const job of jobs) {
    const group = groupOf(job);
    const chunk = open.get(group);
    if (chunk && chunk.length < sizeOf(job)) chunk.push(job);
    else {
      const next: [J, ...J[]] = [job];
      open.set(group, next);
      chunks.push(next);
    }
  }
  return chunks;
}
