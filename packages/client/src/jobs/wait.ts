import type { HttpClient } from '../http/http-client.js';
import { isTransient } from '../http/retry.js';
import { pause, withTimeLimit } from '../http/time-limit.js';
import { JoblineError } from '../jobline-error.js';
import { checkTimeout, type WaitOptions } from '../options.js';
import { isFinished, type Job } from '../types.js';
import { followJob } from './follow.js';

const WAIT_MS = 10 * 60_000;
/** The event stream reports an end at once. Polling is for networks and proxies that event streams do not pass. */
const POLL_MS = { first: 1_000, next: 2_000, longest: 10_000 };

/** Resolves with the job when it is done or failed. */
export async function waitForJob(
  client: HttpClient,
  id: string,
  { timeoutMs = WAIT_MS, signal, onProgress }: WaitOptions = {},
): Promise<Job> {
  checkTimeout(timeoutMs);
  const onTimeout = () => notFinished(id, timeoutMs);
  const stop = new AbortController();
  try {
    return await withTimeLimit({ timeoutMs, signal, onTimeout }, async (signal) => {
      signal.addEventListener('abort', () => stop.abort(signal.reason), { once: true });
      const job = await client.call('getJob', { path: { id } }, { signal });
      if (isFinished(job)) return job;
      const read = () => client.call('getJob', { path: { id } }, { signal: stop.signal });
      const polled = pause(POLL_MS.first, stop.signal).then(() => poll(read, isFinished, POLL_MS, stop.signal));
      return Promise.race([polled, watch(client, id, stop.signal, onProgress).catch(() => polled)]);
    });
  } finally {
    stop.abort();
  }
}

async function watch(
  client: HttpClient,
  id: string,
  signal: AbortSignal,
  onProgress: WaitOptions['onProgress'],
): Promise<Job> {
  for (;;) {
    // Until it has finished.
    for await (const { event, data } of followJob(client, id, { signal })) {
      if (event === 'status' && data.progress) onProgress?.(data.progress);
    }
    const job = await client.call('getJob', { path: { id } }, { signal });
    if (isFinished(job)) return job; // otherwise it was retried by hand
  }
}

/** Reads until the value is the last one, less and less often. An outage of the API ends no wait. */
export async function poll<T>(
  read: () => Promise<T>,
  isLast: (value: T) => boolean,
  { next, longest }: { next: number; longest: number },
  signal: AbortSignal,
): Promise<T> {
  for (let ms = next; ; ms = Math.min(2 * ms, longest)) {
    const value = await read().catch((error: unknown) => {
      if (error instanceof JoblineError && isTransient(error)) return null;
      throw error;
    });
    if (value !== null && isLast(value)) return value;
    await pause(ms, signal);
  }
}

function notFinished(id: string, timeoutMs: number): JoblineError {
  const message = `Job ${id} did not finish within ${timeoutMs} ms, and goes on. Wait again, or with a larger timeoutMs.`;
  return new JoblineError({ code: 'timeout', message });
}
