import type { HttpClient } from '../http/http-client.js';
import { isTransient } from '../http/retry.js';
import { pause, withTimeLimit } from '../http/time-limit.js';
import { JoblineError } from '../jobline-error.js';
import { checkTimeout, type WaitOptions } from '../options.js';
import { isFinished, type Job } from '../types.js';
import { followJob } from './follow.js';

const WAIT_MS = 10 * 60_000;
/** The event stream reports an end at once. Polling is for networks and proxies that event streams do not pass. */
const POLL_MS = { first: 1_000, longest: 10_000 };

/** Resolves with the job when it is done or failed. */
export async function waitForJob(
  client: HttpClient,
  id: string,
  { timeoutMs = WAIT_MS, signal }: WaitOptions = {},
): Promise<Job> {
  checkTimeout(timeoutMs);
  const onTimeout = () => notFinished(id, timeoutMs);
  const stop = new AbortController();
  try {
    return await withTimeLimit({ timeoutMs, signal, onTimeout }, async (signal) => {
      signal.addEventListener('abort', () => stop.abort(signal.reason), { once: true });
      const job = await client.call('getJob', { path: { id } }, { signal });
      if (isFinished(job)) return job;
      const polled = poll(client, id, stop.signal);
      return Promise.race([polled, watch(client, id, stop.signal).catch(() => polled)]);
    });
  } finally {
    stop.abort();
  }
}

async function watch(client: HttpClient, id: string, signal: AbortSignal): Promise<Job> {
  for (;;) {
    for await (const _event of followJob(client, id, { signal })); // until it has finished
    const job = await client.call('getJob', { path: { id } }, { signal });
    if (isFinished(job)) return job; // otherwise it was retried by hand
  }
}

async function poll(client: HttpClient, id: string, signal: AbortSignal): Promise<Job> {
  for (let ms = POLL_MS.first; ; ms = Math.min(2 * ms, POLL_MS.longest)) {
    await pause(ms, signal);
    try {
      const job = await client.call('getJob', { path: { id } }, { signal });
      if (isFinished(job)) return job;
    } catch (error) {
      // An outage of the API ends no wait.
      if (!(error instanceof JoblineError && isTransient(error))) throw error;
    }
  }
}

function notFinished(id: string, timeoutMs: number): JoblineError {
  const message = `Job ${id} did not finish within ${timeoutMs} ms, and goes on. Wait again, or with a larger timeoutMs.`;
  return new JoblineError({ code: 'timeout', message });
}
