import { AppError, type OrgId } from '@jobline/contracts';

/** The event streams that this process may have open: of one organization, and of all together. */
export interface PlaceLimits {
  maxPerOrg: number;
  maxTotal: number;
}

/** A stream's place among those that may be open, from the check until the answer's end. */
export interface Place {
  readonly orgId: OrgId;
  /** Calls back once if another organization needs the place more; at once if that has happened already. */
  onTaken(listener: () => void): void;
  /** Frees the place. Safe to call twice. */
  release(): void;
}

export interface Places {
  /** Throws `rate_limited` when the organization, or everybody together, has as many as there may be. */
  take(orgId: OrgId): Place;
  size(): number;
}

/** A place, and how it is taken away. */
interface Held {
  takeAway(): void;
}

const RETRY_AFTER_S = 10;

/**
 * Counts places at once, so that many requests at the same moment cannot all pass the check. When all places are in use,
 * an organization that has clearly fewer than another gets that one's oldest: a few organizations cannot keep the others
 * out, and two that have as many do not take places from each other in turn.
 */
export function createPlaces({ maxPerOrg, maxTotal }: PlaceLimits): Places {
  /** The oldest first. */
  const orgs = new Map<OrgId, Set<Held>>();
  let size = 0;

  function makeFreeFor(count: number): void {
    const most = [...orgs.values()].reduce((a, b) => (b.size > a.size ? b : a), new Set());
    const [oldest] = most;
    if (!oldest || most.size <= count + 1) throw tooMany('The service has as many', maxTotal);
    oldest.takeAway();
  }

  return {
    take(orgId) {
      const count = orgs.get(orgId)?.size ?? 0;
      if (count >= maxPerOrg) throw tooMany(`Your organization has ${maxPerOrg}`, maxPerOrg);
      if (size >= maxTotal) makeFreeFor(count);

      const taken = new AbortController();
      const held: Held = {
        takeAway() {
          release();
          taken.abort();
        },
      };
      const release = () => {
        const own = orgs.get(orgId);
        if (!own?.delete(held)) return;
        size--;
        if (own.size === 0) orgs.delete(orgId);
      };
      orgs.set(orgId, (orgs.get(orgId) ?? new Set()).add(held));
      size++;
      return {
        orgId,
        onTaken(listener) {
          if (taken.signal.aborted) listener();
          else taken.signal.addEventListener('abort', listener, { once: true });
        },
        release,
      };
    },
    size: () => size,
  };
}

function tooMany(who: string, limit: number): AppError {
  return new AppError('rate_limited', `${who} event streams open on this server; close one or try again later.`, {
    headers: {
      'Retry-After': String(RETRY_AFTER_S),
      'RateLimit-Limit': String(limit),
      'RateLimit-Remaining': '0',
      'RateLimit-Reset': String(RETRY_AFTER_S),
    },
  });
}
