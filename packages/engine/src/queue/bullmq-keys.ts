import { queuePrefix } from './names.js';

/**
 * The keys in which BullMQ keeps a queue. Its documentation does not promise them, so everything that reads or writes them
 * names them here, and a test compares them with the installed version.
 */

/** The key of a list of entries. `prioritized` contains the waiting entries that have a priority. */
export function listKey(prefix: string, queue: string, list: 'wait' | 'prioritized' | 'active' | 'delayed'): string {
  return `${queuePrefix(prefix, queue)}:${queue}:${list}`;
}

/** The key that wakes the workers that wait for entries of a queue. */
export function markerKey(prefix: string, queue: string): string {
  return `${queuePrefix(prefix, queue)}:${queue}:marker`;
}

/** The key of the hash that contains an entry while it waits, is delayed or is active. */
export function entryKey(prefix: string, queue: string, id: string): string {
  return `${queuePrefix(prefix, queue)}:${queue}:${id}`;
}
