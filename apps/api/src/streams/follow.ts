import { isUnavailable } from '@jobline/db';
import type { Logger } from '@jobline/runtime';
import type { StreamSlot } from '../budgets/stream-slots.js';
import type { LiveStream } from '../http/send.js';
import type { Streams } from './streams.js';

/** One page of events. */
export interface Page<Position> extends ReadResult {
  /** The position after the events. */
  next: Position;
}

interface Followed<Position> {
  /** Reserved for this stream. */
  slot: StreamSlot;
  start: Position;
  /** Sent before everything else. */
  opening: readonly string[];
  /** Reads the events after a position. `wakes` distinguishes this read from an earlier one. */
  read(after: Position, wakes: number): Promise<Page<Position>>;
  /** Whether the caller's credentials are still valid. */
  isStillAllowed(): Promise<boolean>;
}

/** `no-transform` and `no` keep proxies from compressing and buffering, which would delay events. */
export const EVENT_STREAM_HEADERS = {
  'Content-Type': 'text/event-stream',
  'Cache-Control': 'no-store, no-transform',
  'X-Accel-Buffering': 'no',
} as const;

const RECONNECT_MS = 1_000;
/** Keeps the connection busy. Clients ignore it. */
const COMMENT = ': still here\n\n';
const CHECK_EVERY_MS = 1_000;

/**
 * The first text of a stream: a comment, so that the response begins immediately; how soon to reconnect; and the start
 * position, so that a client that is disconnected before the first event misses nothing.
 */
export function openingText(id: string): string {
  return `: jobline\nretry: ${RECONNECT_MS}\nid: ${id}\n\n`;
}

/**
 * A stream of the existing events and then of the new ones, for as long as the client is connected and allowed. It never
 * reads further than its client has received: a slow client falls behind and costs one page of memory. An outage of
 * Postgres delays the stream and does not end it.
 */
export function follow<Position>(deps: { streams: Streams; log: Logger }, followed: Followed<Position>): LiveStream {
  const { streams, log } = deps;
  const { commentEveryMs, lookEveryMs } = streams.settings;
  return async function* (reader) {
    const stream = streams.open(followed.slot, reader);
    const pace = createPace();
    const now = () => performance.now();
    let position = followed.start;
    let seen = stream.wakes();
    let commentAt = now() + commentEveryMs;
    try {
      yield* followed.opening;
      while (!stream.hasEnded()) {
        if (now() >= commentAt) {
          commentAt = now() + commentEveryMs;
          yield COMMENT;
        }
        const wakes = stream.wakes();
        if (wakes !== seen) pace.wake();
        try {
          if (!(await followed.isStillAllowed())) return;
          if (now() >= pace.lookAt()) {
            const page = await followed.read(position, wakes);
            // The client may have disconnected or lost its permission during the read.
            if (stream.hasEnded() || !(await followed.isStillAllowed())) return;
            yield* page.texts;
            position = page.next;
            seen = wakes;
            pace.looked(page, streams.isWoken() ? lookEveryMs.woken : lookEveryMs.unwoken);
            continue;
          }
        } catch (error) {
          if (!isUnavailable(error)) throw error;
          log.debug('event stream is waiting for Postgres', { org_id: followed.slot.orgId, error });
          pace.failed(lookEveryMs.unwoken);
        }
        await stream.wait(wakes, Math.min(pace.lookAt(), commentAt, now() + CHECK_EVERY_MS) - now());
      }
    } finally {
      stream.close();
    }
  };
}

/** The parts of a page that decide when the next read is due. */
interface ReadResult {
  /** Events as they are sent. */
  texts: readonly string[];
  /** Whether more events can be read immediately. */
  isFull: boolean;
  /** Whether there are more events that cannot be shown yet. */
  isHeldBack: boolean;
}

/** Decides when a stream reads next. */
interface Pace {
  /** When the next read is due, by performance.now(). */
  lookAt(): number;
  /** There are new events. */
  wake(): void;
  /** A read succeeded. Without a wake, the next one is due after `restMs`. */
  looked(page: ReadResult, restMs: number): void;
  /** A read failed. The next one is due after `restMs`, also with a wake. */
  failed(restMs: number): void;
}

/** Wakes within this time share a read. */
const GAP_MS = 50;
/** Events that cannot be shown yet wait for a running transaction, usually for milliseconds. */
const HELD_BACK_MS = { first: 20, last: 500 };

function createPace(): Pace {
  const now = () => performance.now();
  let lookAt = now();
  let soonestAt = lookAt;
  let heldBackMs = HELD_BACK_MS.first;
  return {
    lookAt: () => lookAt,
    wake() {
      lookAt = Math.min(lookAt, soonestAt);
    },
    looked({ texts, isFull, isHeldBack }, restMs) {
      const isStuck = isHeldBack && texts.length === 0;
      heldBackMs = isStuck ? Math.min(2 * heldBackMs, HELD_BACK_MS.last) : HELD_BACK_MS.first;
      soonestAt = now() + (isFull ? 0 : GAP_MS);
      lookAt = isFull ? soonestAt : now() + (isHeldBack ? heldBackMs : restMs);
    },
    failed(restMs) {
      soonestAt = lookAt = now() + restMs;
    },
  };
}
