import type { Db, DbSession } from '@jobline/db';
import { pause } from '@jobline/runtime';

/** A lock that a transaction of the test holds. */
export interface HeldLock {
  release(): Promise<void>;
}

/** Shorter than the time after which Postgres ends a silent transaction. */
const SPEAK_EVERY_MS = 500;
const TRANSACTION_MS = 600_000;

/** Runs a statement that locks something, and keeps its transaction open. */
export async function holdLock(db: Db, lock: (tx: DbSession) => Promise<unknown>): Promise<HeldLock> {
  const released = new AbortController();
  let onLocked: () => void = () => undefined;
  const locked = new Promise<void>((resolve) => {
    onLocked = resolve;
  });
  const ended = db.$transaction(
    async (tx) => {
      await lock(tx);
      onLocked();
      while (!released.signal.aborted) {
        await tx.$queryRaw`SELECT 1`;
        await pause(SPEAK_EVERY_MS, released.signal);
      }
    },
    { timeout: TRANSACTION_MS },
  );
  await Promise.race([locked, ended]);
  return {
    release() {
      released.abort();
      return ended;
    },
  };
}
