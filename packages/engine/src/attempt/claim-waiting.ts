import type { JobKey, OrgId } from '@jobline/contracts';
import { retryDeadlocks } from '@jobline/db';
import { type Claim, claimWaiting, holdWaiting, type Position } from '@jobline/db/job-transitions';
import { elapsedMs, randomId } from '@jobline/runtime';
import type { TicketData } from '../queue/entry.js';
import type { ClaimDeps } from './claim.js';

/** Claims the next waiting jobs of a queue for tickets. Returns the claims of each. Rejects if Postgres fails. */
export type ClaimWaiting = (queue: string, tickets: readonly TicketData[]) => Promise<readonly (readonly Claim[])[]>;

/** A claim from the first jobs that takes longer than this is repeated only after a rest, which is a multiple of its duration. */
const CHEAP_MS = 5;
const REST_FACTOR = 10;
const MAX_POSITIONS = 1_000;

/**
 * Begins with the first job of each organization. While an old snapshot makes that slow, because all rows that have left the head of
 * the index still have to be read, most claims continue at the position of the one before.
 */
function createQueueClaims(
  deps: ClaimDeps,
  queue: string,
): (tickets: readonly TicketData[]) => ReturnType<ClaimWaiting> {
  const { db, hot, runs, lease, crashIsolation, types, leaseMs, producer, events } = deps;
  const positions = new Map<OrgId, Position>();
  let headAt = Number.NEGATIVE_INFINITY;

  /** A waiting job under a limit that is newer than its submission becomes held. Never rejects. */
  async function hold(refused: readonly JobKey[]): Promise<void> {
    if (refused.length === 0) return;
    try {
      const held = await retryDeadlocks(() => holdWaiting(db, refused));
      if (held.size > 0) producer.publishWaiting();
    } catch (error) {
      events.emit('step.failed', { step: 'hold', error });
    }
  }

  async function claim(counts: ReadonlyMap<OrgId, number>): Promise<readonly Claim[]> {
    const id = lease.registeredId();
    // With an identity that Postgres does not know yet, the claim would report that this worker is dead.
    if (id === null) return [];
    const startedAt = performance.now();
    const isFromHead = startedAt >= headAt;
    const requests = [...counts].map(([orgId, count]) => {
      const after = isFromHead ? null : (positions.get(orgId) ?? null);
      return { orgId, count, after };
    });
    const tokens = requests.flatMap(({ count }) => Array.from({ length: count }, () => randomId()));
    for (const token of tokens) runs.expect(token);
    const capacity = crashIsolation.reserve();
    let claims: readonly Claim[] = [];
    try {
      const claimed = await claimWaiting(hot, { id, types, leaseMs, capacity }, { queue, requests, tokens });
      const tookMs = elapsedMs(startedAt);
      if (isFromHead) headAt = performance.now() + (tookMs < CHEAP_MS ? 0 : REST_FACTOR * tookMs);
      if (positions.size > MAX_POSITIONS) positions.clear();
      for (const [orgId, position] of claimed.positions) positions.set(orgId, position);
      if (!claimed.isAlive) {
        lease.lose(id);
        await lease.beat();
        return [];
      }
      void hold(claimed.refused);
      // Another worker may have taken over these jobs before the answer arrived.
      if (lease.registeredId() === id) claims = claimed.claims;
      events.emit('batch.sent', { step: 'claim', size: claimed.claims.length });
      if (claims.length > 0) events.emit('jobs.dispatched', { queue, count: claims.length });
      return claims;
    } finally {
      crashIsolation.confirm(capacity, claims);
      const own = new Set(claims.map(({ token }) => token));
      for (const token of tokens) if (!own.has(token)) runs.forget(token);
    }
  }

  return async (tickets) => {
    const counts = new Map<OrgId, number>();
    for (const { orgId, count } of tickets) counts.set(orgId, (counts.get(orgId) ?? 0) + count);
    const byOrg = new Map<OrgId, Claim[]>([...counts.keys()].map((orgId) => [orgId, []]));
    for (const one of await claim(counts)) byOrg.get(one.orgId)?.push(one);
    return tickets.map(({ orgId, count }) => byOrg.get(orgId)?.splice(0, count) ?? []);
  };
}

export function createClaimWaiting(deps: ClaimDeps): ClaimWaiting {
  const claims = new Map<string, ReturnType<typeof createQueueClaims>>();
  return (queue, tickets) => {
    const claim = claims.get(queue) ?? createQueueClaims(deps, queue);
    claims.set(queue, claim);
    return claim(tickets);
  };
}
