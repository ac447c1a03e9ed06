/** The parts of a page that decide when the next read is due. */
export interface ReadResult {
  /** Events as they are sent. */
  texts: readonly string[];
  /** Whether more events can be read immediately. */
  isFull: boolean;
  /** Whether there are more events that cannot be shown yet. */
  isHeldBack: boolean;
}

/** When to look for what is new. */
export interface Pace {
  /** The time of the next look, as performance.now() counts. */
  lookAt(): number;
  /** There is something new. */
  wake(): void;
  /** What came of a look; without anything to wake it, the next one is `restMs` later. */
  looked(page: ReadResult, restMs: number): void;
  /** A look came to nothing; the next one is `restMs` later, whatever wakes. */
  failed(restMs: number): void;
}

/** Wakes that come faster share a look. */
const GAP_MS = 50;
/** What cannot be shown yet waits for a transaction of others: mostly for milliseconds. */
const HELD_BACK_MS = { first: 20, last: 500 };

export function createPace(): Pace {
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
