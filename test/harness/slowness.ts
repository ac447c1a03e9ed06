import { createHash } from 'node:crypto';

/** Duration of the work below on a machine of slowness 1. */
const REFERENCE_MS = 120;
const LARGEST = 10;

/** How many times slower than the reference machine this one is now, with its current load: from 1 to 10. */
export function measureSlowness(): number {
  const block = Buffer.alloc(1024 * 1024, 'x');
  const startedAt = performance.now();
  for (let n = 0; n < 64; n++) createHash('md5').update(block).digest();
  return Math.min(LARGEST, Math.max(1, (performance.now() - startedAt) / REFERENCE_MS));
}
