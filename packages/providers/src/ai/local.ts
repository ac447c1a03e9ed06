import { HandlerError, PermanentError } from '@jobline/handlers/errors';
import type { Summarizer } from '@jobline/handlers/ports';
import Joi from 'joi';
import { ForcedEnd } from '../compute/compute-errors.js';
import { createComputePool } from '../compute/compute-pool.js';
import { defineProvider } from '../define-provider.js';

const MODEL = 'local-extractive';
/** Memory limits. A text of 1 MiB needs 170 MB. */
const MEMORY = { heapMb: 192, dataMb: 320 };
const LIMIT_S = 60;
/** Jobs that wait occupy a slot of their queue, so few can wait. */
const MAX_WAITING = 200;
const MAX_WAITING_BYTES = 32 * 1024 * 1024;
const IDLE_MS = 60_000;

/** Makes summaries in a child process, without network and API key. */
function createLocalSummarizer(): Summarizer {
  const pool = createComputePool({
    processes: 1,
    memory: MEMORY,
    queue: { perKey: MAX_WAITING, perPausedKey: MAX_WAITING, total: MAX_WAITING, totalBytes: MAX_WAITING_BYTES },
    pauseMs: 0,
    idleMs: IDLE_MS,
  });
  return {
    async summarize({ text, length, signal }) {
      const options = { key: '', sizeBytes: text.length, deadlineMs: LIMIT_S * 1_000, signal };
      try {
        return { summary: await pool.run('summary', { text, length }, options), model: MODEL };
      } catch (error) {
        throw error instanceof ForcedEnd ? ended(error) : error;
      }
    },
  };
}

export const local = defineProvider<object, Summarizer>({
  name: 'local',
  settings: Joi.object({}),
  create: createLocalSummarizer,
});

function ended(cause: ForcedEnd): HandlerError {
  if (cause.reason === 'time')
    return new HandlerError('timeout', `the summary took longer than ${LIMIT_S} s`, { cause });
  return new PermanentError(`the text cannot be summarized: ${cause.message}`, { code: 'invalid_payload', cause });
}
