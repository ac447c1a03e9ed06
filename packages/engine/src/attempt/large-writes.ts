import type { OrgId } from '@jobline/contracts';
import { createFairLimiter, elapsedMs, pause } from '@jobline/runtime';

/** Writes the large results, log lines and files of attempts. */
export type LargeWrites = ReturnType<typeof createLargeWrites>;

/** Characters or bytes. What is shorter is written without a turn. */
const LARGE = 16 * 1024;
/** How much is being written at the same time, and how much of one organization. A longer one is written alone. */
const CAPACITY = 2 * 1024 * 1024;
const OF_ORG = 1024 * 1024;
/** The pause of an organization after a write, in times of the write, and at most. */
const PAUSE_FACTOR = 3;
const MAX_PAUSE_MS = 1_000;

/**
 * Organizations take turns. After each large write its organization pauses for three times as long as the write took, so that one
 * organization uses at most a quarter of the time of one statement: the short writes of the others need the same processors and the
 * same disk. Meanwhile other organizations write.
 */
export function createLargeWrites() {
  const turns = createFairLimiter({ weightPerOwner: OF_ORG });
  const writes = createFairLimiter({ capacity: CAPACITY });
  return async function writeInTurn<T>(
    { orgId, length, signal }: { orgId: OrgId; length: number; signal?: AbortSignal },
    write: () => Promise<T>,
  ): Promise<T> {
    if (length < LARGE) return write();
    const request = { owner: orgId, weight: length, ...(signal && { signal }) };
    const endTurn = await turns.take(request);
    let pauseMs = 0;
    try {
      return await writes.run(async () => {
        const startedAt = performance.now();
        try {
          return await write();
        } finally {
          pauseMs = Math.min(MAX_PAUSE_MS, PAUSE_FACTOR * elapsedMs(startedAt));
        }
      }, request);
    } finally {
      void pause(pauseMs).then(endTurn);
    }
  };
}
