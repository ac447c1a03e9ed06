import { once } from 'node:events';

export interface StopRequests {
  /** Fires at the first request. */
  stopping: AbortSignal;
  /** Fires at a second request: the user does not want to wait. */
  hurry: AbortSignal;
  /** Resolves at the first request. */
  requested: Promise<void>;
  request(): void;
  dispose(): void;
}

/** npm passes on a Ctrl-C that the terminal has sent to us too. Two requests within this time count as one. */
const SAME_REQUEST_MS = 1_000;
const PARENT_CHECK_MS = 1_000;
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Requests come from SIGINT, SIGTERM, a closed terminal and, under npm, the death of npm, which cannot pass on SIGKILL.
 * npm is the parent of this process because its scripts begin with `exec`.
 */
export function listenForStop(env: NodeJS.ProcessEnv): StopRequests {
  const stopping = new AbortController();
  const hurry = new AbortController();
  let firstAt = 0;
  const request = () => {
    if (stopping.signal.aborted && performance.now() - firstAt > SAME_REQUEST_MS) hurry.abort();
    if (!stopping.signal.aborted) firstAt = performance.now();
    stopping.abort();
  };
  for (const signal of SIGNALS) process.on(signal, request);
  const parent = process.ppid;
  const parentCheck = setInterval(() => {
    if (!env.npm_lifecycle_event || process.ppid === parent) return;
    clearInterval(parentCheck);
    request();
  }, PARENT_CHECK_MS);

  return {
    stopping: stopping.signal,
    hurry: hurry.signal,
    requested: once(stopping.signal, 'abort').then(() => undefined),
    request,
    dispose() {
      clearInterval(parentCheck);
      for (const signal of SIGNALS) process.off(signal, request);
    },
  };
}
