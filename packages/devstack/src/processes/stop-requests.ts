import { once } from 'node:events';
import { findAncestor, isRunning } from './processes.js';

export interface StopRequests {
  /** Fires at the first request. */
  stopping: AbortSignal;
  /** Fires when a person asks again: they do not want to wait. */
  hurry: AbortSignal;
  requested: Promise<void>;
  request(): void;
  /** Stops listening. */
  dispose(): void;
}

/** npm passes a Ctrl-C on to us although the terminal has sent it to us too: within this it is one request. */
const SAME_REQUEST_MS = 1_000;

/** SIGINT, SIGTERM, a closed terminal, and, under npm, the death of npm, which cannot pass SIGKILL on. */
export function listenForStop(env: NodeJS.ProcessEnv): StopRequests {
  const stopping = new AbortController();
  const hurry = new AbortController();
  const requested = once(stopping.signal, 'abort').then(() => undefined);
  let firstAt = 0;
  const request = () => {
    if (stopping.signal.aborted) {
      if (performance.now() - firstAt > SAME_REQUEST_MS) hurry.abort();
      return;
    }
    firstAt = performance.now();
    stopping.abort();
  };
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  for (const signal of signals) process.on(signal, request);

  const npm = env.npm_lifecycle_event ? findAncestor(/^(npm|\S+ \S*npm-cli\.js)( |$)/) : undefined;
  const watch = setInterval(() => {
    if (npm && isRunning(npm)) return;
    clearInterval(watch);
    if (npm) request();
  }, 1_000);

  return {
    stopping: stopping.signal,
    hurry: hurry.signal,
    requested,
    request,
    dispose() {
      clearInterval(watch);
      for (const signal of signals) process.off(signal, request);
    },
  };
}
