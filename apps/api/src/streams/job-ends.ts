import type { OrgId } from '@jobline/contracts';
import { type Db, isUnavailable, listEnded } from '@jobline/db';
import type { Logger } from '@jobline/runtime';
import { createStreamSlots } from '../budgets/stream-slots.js';
import type { Streams } from './streams.js';

/** Requests that wait for the end of a job, per organization and in total. They need memory and a connection of a client only. */
const WAITS = { maxPerOrg: 500, maxTotal: 2_000 };
/** Wakes within this time share a read. */
const GAP_MS = 50;

/**
 * Resolves when a job has ended or was deleted, after `ms`, when the signal is aborted, or when other organizations need its slot. It
 * holds no connection of Postgres meanwhile: all waits of an organization share one look after each wake of its streams. Throws
 * `rate_limited` when the organization has too many.
 */
export type UntilEnded = (orgId: OrgId, id: string, ms: number, signal: AbortSignal) => Promise<void>;

/** The waits of an organization. */
interface Org {
  /** The id of a job → resolves its waits. */
  waits: Map<string, Set<() => void>>;
  /** Makes a look due. */
  nudge(): void;
}

export function createUntilEnded({ db, streams, log }: { db: Db; streams: Streams; log: Logger }): UntilEnded {
  const slots = createStreamSlots(WAITS);
  const orgs = new Map<OrgId, Org>();

  /** Looks after each wake, until no request waits. */
  async function watch(orgId: OrgId, org: Org): Promise<void> {
    const left = new AbortController();
    const slot = { orgId, onEvicted: () => undefined, release: () => undefined };
    const stream = streams.open(slot, { gone: left.signal, cutIfBehind: () => undefined });
    const { woken, unwoken } = streams.settings.lookEveryMs;
    try {
      while (org.waits.size > 0 && !stream.hasEnded()) {
        const nudged = new Promise<void>((resolve) => {
          org.nudge = resolve;
        });
        const wakes = stream.wakes();
        try {
          const ids = [...org.waits.keys()];
          const ended = await streams.reads.run(() => listEnded(db, orgId, ids), { owner: orgId });
          for (const id of ended) for (const resolve of org.waits.get(id) ?? []) resolve();
        } catch (error) {
          if (!isUnavailable(error)) throw error;
          log.debug('requests for the end of a job are waiting for Postgres', { org_id: orgId, error });
        }
        await new Promise((resolve) => setTimeout(resolve, GAP_MS));
        if (org.waits.size === 0) return;
        await Promise.race([nudged, stream.wait(wakes, streams.isWoken() ? woken : unwoken)]);
      }
    } finally {
      stream.close();
      orgs.delete(orgId);
      for (const waits of org.waits.values()) for (const resolve of waits) resolve();
    }
  }

  return async (orgId, id, ms, signal) => {
    const slot = slots.reserve(orgId);
    const known = orgs.get(orgId);
    const org = known ?? { waits: new Map(), nudge: () => undefined };
    let finish = (): void => undefined;
    const ended = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const waits = org.waits.get(id) ?? new Set();
    org.waits.set(id, waits.add(finish));
    orgs.set(orgId, org);
    if (known) org.nudge();
    else void watch(orgId, org).catch((error: unknown) => log.error('the end of jobs is not watched', { error }));
    const timer = setTimeout(finish, ms);
    signal.addEventListener('abort', finish, { once: true });
    slot.onEvicted(finish);
    try {
      if (!signal.aborted) await ended;
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', finish);
      slot.release();
      waits.delete(finish);
      if (waits.size === 0 && org.waits.get(id) === waits) org.waits.delete(id);
      if (org.waits.size === 0) org.nudge();
    }
  };
}
