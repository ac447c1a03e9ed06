/** The parts of a page that decide when the next read is due. */
export interface ReadResult {
  /** Events as they are sent. */
  texts: readonly string[];
  /** Whether more events can be read immediately. */
  isFull: boolean;
  /** Whether there are more events that cannot be shown yet. */
  isHeldBack: boolean;
}

/** Decides when a stream reads next. */
export interface Pace {
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
