import type { QueueSlots } from '@jobline/db';

/** Returns how many dispatched jobs of a type a queue may have: infinite if all of its workers have the handler. */
export type TypeLimit = (type: string) => number;

/** Minimum number of entries of a type that only some of the workers handle. */
const MIN_OF_TYPE = 20;

/**
 * Limits the entries of types that only some of the workers handle to what those workers need. A worker without the
 * handler delays such an entry, so too many of them would block the jobs after them.
 */
export function limitsOf({ all, byType }: QueueSlots): TypeLimit {
  return (type) => {
    const slots = byType.get(type) ?? 0;
    return slots === all ? Number.POSITIVE_INFINITY : Math.max(MIN_OF_TYPE, 2 * slots);
  };
}
