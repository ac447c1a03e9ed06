import type { OrgId } from '@jobline/contracts';
import type { Subscription } from '@jobline/engine';
import { createFairLimiter, type FairLimiter } from '@jobline/runtime';
import { createStreamSlots, type StreamLimits, type StreamSlot } from '../budgets/stream-slots.js';
import type { Reader } from '../http/send.js';

export interface StreamSettings extends StreamLimits {
  /** How often a comment is sent, so that no proxy closes the connection as idle. */
  commentEveryMs: number;
  /**
   * How often a stream reads without being woken: `unwoken` while Redis cannot wake streams, `woken` otherwise, because a
   * message of Redis can get lost.
   */
  lookEveryMs: { unwoken: number; woken: number };
}

export const STREAM_SETTINGS: StreamSettings = {
  maxPerOrg: 100,
  maxTotal: 1_000,
  commentEveryMs: 15_000,
  lookEveryMs: { unwoken: 1_000, woken: 3_000 },
};

/** The event streams that this process has open. */
export interface Streams {
  readonly settings: StreamSettings;
  /**
   * Reserves a slot for a new stream. Throws `rate_limited` when the organization, or all organizations together, have
   * reached the limit. The caller must release the slot when the response ends, even if the stream was never opened.
   */
  reserve(orgId: OrgId): StreamSlot;
  open(slot: StreamSlot, reader: Reader): OpenStream;
  /** Whether streams are woken when there are new events, as far as this process knows. */
  isWoken(): boolean;
  /** Limits the reads of streams, so that most connections of the pool remain for requests. */
  readonly reads: FairLimiter;
  size(): number;
  /** Ends all streams immediately, and every stream that is opened later. */
  end(): void;
}

export interface OpenStream {
  hasEnded(): boolean;
  /** How often the streams of the organization were woken. */
  wakes(): number;
  /** Resolves when `wakes()` is greater than `seen`, when the stream has ended, or after `ms`. */
  wait(seen: number, ms: number): Promise<void>;
  close(): void;
}

interface Org {
  wakes: number;
  /** Resumes each stream of the organization. */
  open: Set<() => void>;
}

const MAX_CONCURRENT_READS = 4;
const MAX_READS_OF_ORG = 2;

/** `subscribe` calls back with the organizations that have new events. */
export function createStreams(
  subscribe: (wake: (orgIds: readonly string[]) => void) => Subscription,
  settings: StreamSettings = STREAM_SETTINGS,
): Streams {
  const orgs = new Map<string, Org>();
  const ends = new Set<() => void>();
  const slots = createStreamSlots(settings);
  let allEnded = false;
  const subscription = subscribe(wake);

  function wake(orgIds: readonly string[]): void {
    for (const orgId of orgIds) {
      const org = orgs.get(orgId);
      if (!org) continue;
      org.wakes++;
      for (const resume of org.open) resume();
    }
  }

  return {
    settings,
    reserve: slots.reserve,
    open(slot, reader) {
      const { orgId } = slot;
      const org = orgs.get(orgId) ?? { wakes: 0, open: new Set() };
      orgs.set(orgId, org);
      let hasEnded = allEnded;
      let stopWaiting = () => {};
      const resume = () => stopWaiting();
      const end = () => {
        hasEnded = true;
        resume();
      };
      const endAndCut = () => {
        end();
        reader.cutIfBehind();
      };
      org.open.add(resume);
      ends.add(endAndCut);
      reader.gone.addEventListener('abort', end, { once: true });
      if (reader.gone.aborted) end();
      slot.onEvicted(endAndCut);
      return {
        hasEnded: () => hasEnded,
        wakes: () => org.wakes,
        wait(seen, ms) {
          if (hasEnded || org.wakes !== seen || ms <= 0) return Promise.resolve();
          return new Promise((resolve) => {
            const timer = setTimeout(resume, ms);
            stopWaiting = () => {
              clearTimeout(timer);
              resolve();
            };
          });
        },
        close() {
          end();
          reader.gone.removeEventListener('abort', end);
          ends.delete(endAndCut);
          org.open.delete(resume);
          if (org.open.size === 0) orgs.delete(orgId);
        },
      };
    },
    isWoken: subscription.isConnected,
    reads: createFairLimiter({ capacity: MAX_CONCURRENT_READS, perOwner: MAX_READS_OF_ORG }),
    size: () => ends.size,
    end() {
      allEnded = true;
      subscription.close();
      for (const end of ends) end();
    },
  };
}
