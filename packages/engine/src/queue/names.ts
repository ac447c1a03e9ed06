import type { JobKey } from '@jobline/contracts';

/** Every string that we put into Redis. A queue's keys share one hash tag, so that they share one slot of a cluster. */

export const DEFAULT_PREFIX = 'jobline';
/** What a prefix may be: it stands in hash tags and in front of colons. */
export const PREFIX_PATTERN = /^[A-Za-z0-9_.-]{1,40}$/;
/** The name of every entry: an entry is its id and nothing else. */
export const ENTRY_NAME = 'job';

export function queuePrefix(prefix: string, queue: string): string {
  return `{${prefix}-${queue}}`;
}

/** Stays as long as Redis keeps its data: if it is gone, so may entries be. */
export function sentinelKey(prefix: string, queue: string): string {
  return `${queuePrefix(prefix, queue)}:sentinel`;
}

/** The id of the installation whose keys these are. */
export function ownerKey(prefix: string): string {
  return `${prefix}:installation`;
}

/** `<window> <slots>;<organizations over their share>;<organizations that wait>`, as the feeder publishes. */
export function windowKey(prefix: string, queue: string): string {
  return `${queuePrefix(prefix, queue)}:window`;
}

/** One of BullMQ's own lists of entries; `prioritized` are those that have a priority and wait. */
export function listKey(prefix: string, queue: string, list: 'wait' | 'prioritized' | 'active' | 'delayed'): string {
  return `${queuePrefix(prefix, queue)}:${queue}:${list}`;
}

/** Where it is said that jobs of a queue wait in Postgres. */
export function waitingChannel(prefix: string): string {
  return `${prefix}:waiting`;
}

/** Where the claim tokens of runs are said that are to stop because their jobs are canceled. */
export function cancelChannel(prefix: string): string {
  return `${prefix}:cancel`;
}

/** Where organizations are said of whose jobs something has been written, with a space between them. */
export function eventsChannel(prefix: string): string {
  return `${prefix}:events`;
}

/** What the keys begin with under which requests are counted against a budget; what follows is who makes them. */
export function budgetPrefix(prefix: string, budget: string): string {
  return `${prefix}:limit:${budget}`;
}

/** The hash in which BullMQ keeps an entry while it waits, is delayed or is active. */
export function entryKey(prefix: string, queue: string, id: string): string {
  return `${queuePrefix(prefix, queue)}:${queue}:${id}`;
}

/** `<key>-<n>`: BullMQ ignores an add whose id it still remembers, so every add of a key has an id of its own. */
export function entryId(key: JobKey, seq: number): string {
  return `${key}-${seq}`;
}

export function keyOfEntry(id: string): JobKey {
  // The cast: entries are made by entryId alone.
  return id.slice(0, id.lastIndexOf('-')) as JobKey;
}
