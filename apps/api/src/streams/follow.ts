import { isUnavailable } from '@jobline/db';
import type { Logger } from '@jobline/runtime';
import type { StreamSlot } from '../budgets/stream-slots.js';
import type { LiveStream } from '../http/send.js';
import { createPace, type ReadResult } from './pace.js';
import type { Streams } from './streams.js';

/** One page of events. */
export interface Page<Position> extends ReadResult {
  /** The position after the events. */
  next: Position;
}

export interface Followed<Position> {
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
