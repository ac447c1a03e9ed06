import { once } from 'node:events';
import { styleText } from 'node:util';

export interface Terminal {
  say(text: string): void;
  /** Printed only with `--verbose`. */
  detail(text: string): void;
  warn(text: string): void;
}

export function createTerminal(isVerbose: boolean): Terminal {
  process.stdout.on('error', () => undefined); // the reader of our output has gone; the work goes on
  const say = (text: string) => void process.stdout.write(`${text}\n`);
  return { say, detail: (text) => isVerbose && say(text), warn: (text) => say(styleText('yellow', text)) };
}

/** An error that the user can act on. Only its message is shown, without a stack. */
export class PlainError extends Error {
  override name = 'PlainError';
}

/** The reason in one line. Network errors may have an empty message and contain the reasons. */
export function reasonOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return reasonOf(error.errors[0]);
  if (!(error instanceof Error)) return String(error);
  if (error.message === 'fetch failed' && error.cause !== undefined) return reasonOf(error.cause);
  return error.message || error.name;
}

export interface StopRequests {
  /** Fires at the first request. */
  stopping: AbortSignal;
  /** Resolves at the first request. */
  requested: Promise<unknown>;
  request(): void;
  dispose(): void;
}

/** npm passes on a Ctrl-C that the terminal has sent to us too. Two signals within this time count as one. */
const SAME_SIGNAL_MS = 1_000;
const PARENT_CHECK_MS = 1_000;
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Requests come from SIGINT, SIGTERM, a closed terminal and, under npm, the death of npm, which cannot pass on SIGKILL.
 * npm is the parent of this process because its scripts begin with `exec`. A second signal ends this process at once;
 * the orphan guard then ends the rest.
 */
export function listenForStop(env: NodeJS.ProcessEnv): StopRequests {
  const stopping = new AbortController();
  const requested = once(stopping.signal, 'abort');
  const request = () => stopping.abort();
  let firstSignalAt: number | undefined;
  const onSignal = () => {
    firstSignalAt ??= performance.now();
    if (performance.now() - firstSignalAt > SAME_SIGNAL_MS) process.exit(1);
    request();
  };
  for (const signal of SIGNALS) process.on(signal, onSignal);
  const parent = process.ppid;
  const parentCheck = setInterval(() => {
    if (!env.npm_lifecycle_event || process.ppid === parent) return;
    clearInterval(parentCheck);
    request();
  }, PARENT_CHECK_MS);

  return {
    stopping: stopping.signal,
    requested,
    request,
    dispose() {
      clearInterval(parentCheck);
      for (const signal of SIGNALS) process.off(signal, onSignal);
    },
  };
}
