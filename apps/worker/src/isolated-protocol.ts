import {
  type Artifact,
  type Failure,
  failureOf,
  HandlerError,
  messageOf,
  PermanentError,
  Postponed,
  RetryLater,
  type RunContext,
} from '@jobline/handlers';

/** What a worker says to the process that runs one job alone. */
export type ToIsolated =
  | ({ kind: 'run'; type: string; payload: object; traceparent: string | null } & Pick<
      RunContext,
      'idempotencyKey' | 'orgId' | 'attempt'
    >)
  /** The handler's signal fires, for this reason. */
  | { kind: 'abort'; name: string; message: string }
  /** The answer to an artifact: why it could not be kept, or null. */
  | { kind: 'kept'; n: number; fault: Thrown | null };

/** What one of the two threw, for the other. */
export interface Thrown {
  message: string;
  failure: Failure;
}

/** What that process says to its worker. */
export type FromIsolated =
  /** Its handlers are loaded. */
  | { kind: 'ready' }
  | { kind: 'log'; level: Parameters<RunContext['log']>[0]; message: string }
  | { kind: 'artifact'; n: number; artifact: Artifact }
  /** The signal has fired: the process is not frozen. */
  | { kind: 'aborting' }
  /** As JSON, because that is what a result becomes. */
  | { kind: 'returned'; json: string }
  | ({ kind: 'threw' } & Thrown);

export function toThrown(thrown: unknown): Thrown {
  return { message: messageOf(thrown), failure: failureOf(thrown) };
}

/** When a job runs again whose handler could not begin in a process of its own. */
const BEGIN_AGAIN_MS = 10_000;

/** Nothing of the job has run, so it is not to blame: it runs again, with nothing counted. */
export function notBegun(why: string): Postponed {
  return new Postponed(BEGIN_AGAIN_MS, `its handler could not begin in a process of its own (${why})`);
}

/** An error that means the same. */
export function toError({ message, failure: { code, isPermanent, isPostponed, delayMs } }: Thrown): HandlerError {
  if (isPermanent) return new PermanentError(message, { code });
  if (isPostponed) return new Postponed(delayMs, message);
  return delayMs > 0 ? new RetryLater(delayMs, message, { code }) : new HandlerError(code, message);
}
