/**
 * Contains every string that this service writes to Redis. All keys of a queue have one hash tag, so that they are in one
 * slot of a cluster.
 */

export const DEFAULT_PREFIX = 'jobline';
/** The format of a prefix, which is used in hash tags and before colons. */
export const PREFIX_PATTERN = /^[A-Za-z0-9_.-]{1,40}$/;

/** A prefix may contain hyphens, and a queue no underscores: no two pairs of prefix and queue have the same keys. */
export function queuePrefix(prefix: string, queue: string): string {
  return `{${prefix}-${queue.replaceAll('-', '_')}}`;
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
 * `<window> <slots> 1;<organizations over their share>;<organizations that wait>`.
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
