import { isUnavailable } from '@jobline/db';
import type { Logger } from '@jobline/runtime';
import type { LiveStream } from '../http/send.js';
import { createPace, type ReadResult } from './pace.js';
import type { Place } from './stream-slots.js';
import type { Streams } from './streams.js';

/** One page of events. */
export interface Page<Position> extends ReadResult {
  /** The position after the events. */
  next: Position;
}

export interface Followed<Position> {
  /** Reserved for this stream. */
  place: Place;
  start: Position;
  /** What is sent before everything else. */
  opening: readonly string[];
  /** What comes after a position. `wakes` tells one look from a later one. */
  read(after: Position, wakes: number): Promise<Page<Position>>;
  /** Whether the caller's credentials still hold. */
  isStillAllowed(): Promise<boolean>;
}

/** Does nothing but keep the connection busy. */
const COMMENT = ': still here\n\n';
const CHECK_EVERY_MS = 1_000;

/**
 * A stream that shows what there is and then what comes, for as long as the reader stays and may. It never reads
 * further than its reader has taken: who reads slowly is behind, and costs one page of memory. Postgres being away for
 * a while delays a stream and does not end it.
 */
export function follow<Position>(deps: { streams: Streams; log: Logger }, followed: Followed<Position>): LiveStream {
  const { streams, log } = deps;
  const { commentEveryMs, lookEveryMs } = streams.settings;
  return async function* (reader) {
    const stream = streams.open(followed.place, reader);
    const pace = createPace();
    const now = () => performance.now();
    let position = followed.start;
    let seen = stream.wakes();
    let commentAt = now() + commentEveryMs;
    try {
      yield* followed.opening;
      while (!stream.isOver()) {
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
            // Gone, or not allowed any more, while it was read.
            if (stream.isOver() || !(await followed.isStillAllowed())) return;
            yield* page.texts;
            position = page.next;
            seen = wakes;
            pace.looked(page, streams.isWoken() ? lookEveryMs.woken : lookEveryMs.unwoken);
            continue;
          }
        } catch (error) {
          if (!isUnavailable(error)) throw error;
          log.debug('a stream waits for Postgres', { org_id: followed.place.orgId, error });
          pace.failed(lookEveryMs.unwoken);
        }
        await stream.wait(wakes, Math.min(pace.lookAt(), commentAt, now() + CHECK_EVERY_MS) - now());
      }
    } finally {
      stream.close();
    }
  };
}
