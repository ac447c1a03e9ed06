const MAX_CHUNK = 25;
const SHARE_OF_SLOTS = 1 / 8;

/**
 * Returns how many jobs one entry of a queue may carry. `slots` are those of its worker with the fewest: a chunk must be
 * a small part of what a worker runs at the same time, because usually one worker runs all of it.
 */
export function chunkSize(slots: number): number {
  return Math.max(1, Math.min(MAX_CHUNK, Math.floor(SHARE_OF_SLOTS * slots)));
}

/** Divides jobs into chunks. A chunk has at most `sizeOf` jobs of one group, in their order. */
export function inChunks<J>(
  jobs: readonly J[],
  groupOf: (job: J) => string,
  sizeOf: (job: J) => number,
): [J, ...J[]][] {
  const chunks: [J, ...J[]][] = [];
  const open = new Map<string, [J, ...J[]]>();
  for (const job of jobs) {
    const group = groupOf(job);
    const chunk = open.get(group);
    if (chunk && chunk.length < sizeOf(job)) chunk.push(job);
    else {
      const next: [J, ...J[]] = [job];
      open.set(group, next);
      chunks.push(next);
    }
  }
  return chunks;
}
