import type { OrgId } from '@jobline/contracts';
import type { Subscription } from '@jobline/engine';
import { type AtMost, createAtMost } from '../at-most.js';
import type { Reader } from '../http/send.js';
import { createPlaces, type Place, type PlaceLimits } from './places.js';

export interface StreamSettings extends PlaceLimits {
  /** So often a comment goes out, lest somebody on the way takes the connection for dead. */
  commentEveryMs: number;
  /** So often readers look by themselves: while nobody can wake them, and otherwise, in case that a word got lost. */
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
   * Reserves a place for a stream that is about to begin. Throws `rate_limited` when the organization, or everybody
   * together, has as many as there may be. The caller releases the place when the answer ends, even if it never began.
   */
  reserve(orgId: OrgId): Place;
  open(place: Place, reader: Reader): OpenStream;
  /** Whether readers are woken when there is something, as far as one can tell. */
  isWoken(): boolean;
  /** Reads for streams leave most of the pool to requests. */
  readonly atMost: AtMost;
  size(): number;
  /** Ends all of them at once, and every one that is opened later. */
  end(): void;
}

export interface OpenStream {
  isOver(): boolean;
  /** Counts how often the organization's readers were woken. */
  wakes(): number;
  /** Until woken more often than `seen`, over, or so many ms later. */
  wait(seen: number, ms: number): Promise<void>;
  close(): void;
}

interface Org {
  wakes: number;
  /** How to go on with each of its streams. */
  open: Set<() => void>;
}

const READS_AT_ONCE = 4;

/** `listen` calls back with the organizations of whose jobs something has been written. */
export function createStreams(
  listen: (wake: (orgIds: readonly string[]) => void) => Subscription,
  settings: StreamSettings = STREAM_SETTINGS,
): Streams {
  const orgs = new Map<string, Org>();
  const ends = new Set<() => void>();
  const places = createPlaces(settings);
  let hasEnded = false;
  const listening = listen(wake);

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
    reserve: places.take,
    open(place, reader) {
      const { orgId } = place;
      const org = orgs.get(orgId) ?? { wakes: 0, open: new Set() };
      orgs.set(orgId, org);
      let isOver = hasEnded;
      let goOn = () => {};
      const resume = () => goOn();
      const end = () => {
        isOver = true;
        resume();
      };
      const endAtOnce = () => {
        end();
        reader.cutIfBehind();
      };
      org.open.add(resume);
      ends.add(endAtOnce);
      reader.gone.addEventListener('abort', end, { once: true });
      if (reader.gone.aborted) end();
      place.onTaken(endAtOnce);
      return {
        isOver: () => isOver,
        wakes: () => org.wakes,
        wait(seen, ms) {
          if (isOver || org.wakes !== seen || ms <= 0) return Promise.resolve();
          return new Promise((resolve) => {
            const timer = setTimeout(resume, ms);
            goOn = () => {
              clearTimeout(timer);
              resolve();
            };
          });
        },
        close() {
          end();
          reader.gone.removeEventListener('abort', end);
          ends.delete(endAtOnce);
          org.open.delete(resume);
          if (org.open.size === 0) orgs.delete(orgId);
        },
      };
    },
    isWoken: listening.isConnected,
    atMost: createAtMost(READS_AT_ONCE),
    size: () => ends.size,
    end() {
      hasEnded = true;
      listening.close();
      for (const end of ends) end();
    },
  };
}
