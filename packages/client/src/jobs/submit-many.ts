import type { HttpClient } from '../http/http-client.js';
import { newIdempotencyKey } from '../http/request.js';
import { JoblineError } from '../jobline-error.js';
import type { RequestOptions } from '../options.js';

export interface SubmitManyOptions extends RequestOptions {
  /** Called after each batch. `total` is undefined if the list has no length. */
  onProgress?: ((progress: SubmitManyProgress) => void) | undefined;
}

export interface SubmitManyProgress {
  submitted: number;
  total: number | undefined;
}

/** The limits of POST /jobs/batch. A body may have 1 MiB; the rest is reserved for what is around the jobs. */
const BATCH = { jobs: 1_000, bytes: 1_000_000 };
const CONCURRENCY = 3;
/** More than for a single request: a long list reaches the rate limit of submissions again and again. */
const MAX_RETRIES = 20;

/**
 * Submits jobs in batches and resolves with their ids, in order. Keeps only a few batches in memory. After a failure it
 * sends no further batch, and rejects when those that are under way have finished.
 */
export async function submitMany(
  client: HttpClient,
  jobs: Iterable<object> | AsyncIterable<object>,
  { onProgress, idempotencyKey, signal, ...options }: SubmitManyOptions = {},
): Promise<string[]> {
  const key = idempotencyKey ?? newIdempotencyKey();
  // With a key, the list may be corrected and submitted again: no job after a rejected one may be stored then.
  const concurrency = idempotencyKey === undefined ? CONCURRENCY : 1;
  const total = Array.isArray(jobs) ? jobs.length : undefined;
  const ids: string[][] = [];
  const sending = new Set<Promise<void>>();
  let submitted = 0;
  let failure: { error: unknown } | undefined;

  async function send(batch: Batch, index: number): Promise<void> {
    try {
      const answer = await client.callWithJson('submitBatch', `{"jobs":[${batch.jobs.join()}]}`, {
        maxRetries: MAX_RETRIES,
        ...options,
        signal,
        idempotencyKey: `${key}-${index}`,
      });
      ids[index] = answer.jobs.map((job) => ('id' in job ? job.id : ''));
      submitted += batch.jobs.length;
      onProgress?.({ submitted, total });
    } catch (error) {
      failure ??= { error: inList(error, batch.start) };
    }
  }

  try {
    let index = 0;
    for await (const batch of batchesOf(jobs)) {
      // Its jobs may name those of the batches before.
      if (batch.waits) await Promise.all(sending);
      if (failure) break;
      const sent: Promise<void> = send(batch, index++).finally(() => sending.delete(sent));
      sending.add(sent);
      if (sending.size >= concurrency) await Promise.race(sending);
      if (failure) break;
    }
  } finally {
    await Promise.all(sending);
  }
  if (failure) throw failure.error;
  return ids.flat();
}

interface Batch {
  /** The position of the first job in the list. */
  start: number;
  /** The jobs as JSON. */
  jobs: string[];
  /** Whether one of them waits for other jobs. */
  waits: boolean;
}

/** The same list gives the same batches, so that a key for the whole list makes it safe to submit it again. */
async function* batchesOf(jobs: Iterable<object> | AsyncIterable<object>): AsyncGenerator<Batch> {
  const encoder = new TextEncoder();
  let batch: Batch = { start: 0, jobs: [], waits: false };
  let bytes = 0;
  for await (const job of jobs) {
    const json = JSON.stringify(job) ?? 'null';
    const size = encoder.encode(json).length + 1; // with its comma
    if (batch.jobs.length === BATCH.jobs || (batch.jobs.length > 0 && bytes + size > BATCH.bytes)) {
      yield batch;
      batch = { start: batch.start + batch.jobs.length, jobs: [], waits: false };
      bytes = 0;
    }
    batch.jobs.push(json);
    batch.waits ||= 'after' in job;
    bytes += size;
  }
  if (batch.jobs.length > 0) yield batch;
}

/** Details name the job by its position in the whole list instead of its batch. */
function inList(error: unknown, start: number): unknown {
  if (!(error instanceof JoblineError) || error.details.length === 0) return error;
  const details = error.details.map(({ path, message }) => ({
    path: path.replace(/^jobs\[(\d+)\]/, (_whole, index: string) => `jobs[${start + Number(index)}]`),
    message,
  }));
  const { code, status, summary: message, requestId, retryAfterMs } = error;
  return new JoblineError({ code, status, message, details, requestId, retryAfterMs, cause: error });
}
