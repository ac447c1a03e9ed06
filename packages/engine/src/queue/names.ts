import type { JobKey } from '@jobline/contracts';

/**
 * Contains every string that this service writes to Redis. All keys of a queue have one hash tag, so that they are in one
 * slot of a cluster.
 */

export const DEFAULT_PREFIX = 'jobline';
/** The format of a prefix, which is used in hash tags and before colons. */
export const PREFIX_PATTERN = /^[A-Za-z0-9_.-]{1,40}$/;
/** The name of every entry. */
export const ENTRY_NAME = 'job';

export function queuePrefix(prefix: string, queue: string): string {
  return `{${prefix}-${queue}}`;
}

/** A key that exists as long as Redis keeps its data: if it is missing, entries may be missing too. */
export function sentinelKey(prefix: string, queue: string): string {
  return `${queuePrefix(prefix, queue)}:sentinel`;
}

/** The key that contains the id of the installation that owns the prefix. */
export function ownerKey(prefix: string): string {
  return `${prefix}:installation`;
}

/**
 * The key of the state of a queue, which the dispatcher publishes. Its value is
 * `<window> <slots> <chunk size>;<organizations over their share>;<organizations that wait>`.
 */
export function windowKey(prefix: string, queue: string): string {
  return `${queuePrefix(prefix, queue)}:window`;
}

/** The pub/sub channel that announces jobs that wait in Postgres. */
export function waitingChannel(prefix: string): string {
  return `${prefix}:waiting`;
}

/** The pub/sub channel that announces canceled runs. A message is the claim token of the run that must stop. */
export function cancelChannel(prefix: string): string {
  return `${prefix}:cancel`;
}

/**
 * The pub/sub channel that announces organizations whose jobs have new events. A message is a list of ids, separated
 * by spaces.
 */
export function eventsChannel(prefix: string): string {
  return `${prefix}:events`;
}

/** The prefix of the keys that count requests against a budget. It is followed by the identity of the caller. */
export function budgetPrefix(prefix: string, budget: string): string {
  return `${prefix}:limit:${budget}`;
}

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
