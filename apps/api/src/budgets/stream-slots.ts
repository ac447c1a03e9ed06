import type { OrgId } from '@jobline/contracts';
import { rateLimited, usedUp } from '../rate-limits/rate-limit-state.js';

/** How many event streams this process may have open: per organization, and in total. */
export interface StreamLimits {
  maxPerOrg: number;
  maxTotal: number;
}

/** One of the event streams that may be open. A request has it from the check until its response has ended. */
export interface StreamSlot {
  readonly orgId: OrgId;
  /** Calls back once when another organization gets the slot; immediately if that has happened already. */
  onEvicted(listener: () => void): void;
  /** Frees the slot. Safe to call twice. */
  release(): void;
}

export interface StreamSlots {
  /** Throws `rate_limited` when the organization, or all organizations together, have reached the limit. */
  reserve(orgId: OrgId): StreamSlot;
  size(): number;
}

interface Reservation {
  evict(): void;
}

const RETRY_AFTER_S = 10;

/**
 * Counts a slot as soon as it is reserved, so that many simultaneous requests cannot all pass the check. When all slots
 * are in use, an organization that has clearly fewer slots than another one gets the oldest slot of that one: a few
 * organizations cannot block the others, and two with the same number do not evict each other in turn.
 */
export function createStreamSlots({ maxPerOrg, maxTotal }: StreamLimits): StreamSlots {
  /** The reservations of each organization, oldest first. */
  const orgs = new Map<OrgId, Set<Reservation>>();
  let size = 0;

  function evictFor(count: number): void {
    const most = [...orgs.values()].reduce((a, b) => (b.size > a.size ? b : a), new Set());
    const [oldest] = most;
    if (!oldest || most.size <= count + 1) throw tooMany('All organizations together have', maxTotal);
    oldest.evict();
  }

  return {
    reserve(orgId) {
      const count = orgs.get(orgId)?.size ?? 0;
      if (count >= maxPerOrg) throw tooMany('Your organization has', maxPerOrg);
      if (size >= maxTotal) evictFor(count);

      const evicted = new AbortController();
      const reservation: Reservation = {
        evict() {
          release();
          evicted.abort();
        },
      };
      const release = () => {
        const own = orgs.get(orgId);
        if (!own?.delete(reservation)) return;
        size--;
        if (own.size === 0) orgs.delete(orgId);
      };
      orgs.set(orgId, (orgs.get(orgId) ?? new Set()).add(reservation));
      size++;
      return {
        orgId,
        onEvicted(listener) {
          if (evicted.signal.aborted) listener();
          else evicted.signal.addEventListener('abort', listener, { once: true });
        },
        release,
      };
    },
    size: () => size,
  };
}

function tooMany(who: string, limit: number): Error {
  const message = `${who} ${limit} event streams open on this server, which is the limit. Close one.`;
  return rateLimited(message, usedUp(limit, RETRY_AFTER_S));
}
