import { HandlerError, PermanentError } from '@jobline/handlers/errors';
import type { Images } from '@jobline/handlers/ports';
import { ForcedEnd } from '../compute/compute-child.js';
import { createComputePool } from '../compute/compute-pool.js';

export interface ImagesOptions {
  /** How many images are compressed at a time, at most MAX_PROCESSES. */
  atOnce: number;
}

const MAX_PROCESSES = 4;
/**
 * Memory limits of a child process. The largest image needs less. Most of this memory is only reserved: a process uses at
 * most about 530 MB.
 */
const MEMORY = { heapMb: 64, dataMb: 960 };
const LIMIT_S = 80;
/** Jobs that wait occupy a slot of their queue, so few can wait. */
const MAX_WAITING = 200;
/** The limit for the source files of waiting jobs: four of the largest. */
const MAX_WAITING_BYTES = 100 * 1024 * 1024;
/** An idle process is ended, because it does not release all memory after large images. */
const IDLE_MS = 60_000;

/**
 * Compresses images with libvips in child processes, one image per process at a time. An image that is canceled or
 * takes too long is ended by killing its process.
 */
export function createImages({ atOnce }: ImagesOptions): Images & { close(): Promise<void> } {
  const pool = createComputePool({
    processes: Math.max(1, Math.min(atOnce, MAX_PROCESSES)),
    memory: MEMORY,
    queue: { perOwner: MAX_WAITING, perPausedOwner: MAX_WAITING, total: MAX_WAITING, totalBytes: MAX_WAITING_BYTES },
    pauseMs: 0,
    idleMs: IDLE_MS,
  });
  return {
    async compress(source, { signal, ...request }) {
      const options = { owner: '', sizeBytes: source.length, deadlineMs: LIMIT_S * 1_000, signal };
      try {
        const made = await pool.run('image', { source, ...request }, options);
        return { ...made, bytes: made.bytes ?? source };
      } catch (error) {
        throw error instanceof ForcedEnd ? ended(error) : error;
      }
    },
    close: () => pool.close(),
  };
}

function ended(cause: ForcedEnd): HandlerError {
  if (cause.reason === 'time') {
    return new HandlerError('timeout', `the image took longer than ${LIMIT_S} s to compress`, { cause });
  }
  const message = 'the image needs more memory than allowed, or its decoder crashed';
  return new PermanentError(message, { code: 'invalid_payload', cause });
}
