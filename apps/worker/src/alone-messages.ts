import type { Artifact, Failure, RunContext } from '@jobline/handlers';

/** What a worker says to the process that runs one job alone. */
export type ToAlone =
  | ({ kind: 'run'; type: string; payload: object; traceparent: string | null } & Pick<
      RunContext,
      'idempotencyKey' | 'orgId' | 'attempt'
    >)
  /** The handler's signal fires, for this reason. */
  | { kind: 'abort'; name: string; message: string }
  /** The answer to an artifact: why it could not be kept, or null. */
  | { kind: 'kept'; n: number; fault: string | null };

/** What that process says to its worker. */
export type FromAlone =
  /** Its handlers are loaded. */
  | { kind: 'ready' }
  | { kind: 'log'; level: Parameters<RunContext['log']>[0]; message: string }
  | { kind: 'artifact'; n: number; artifact: Artifact }
  /** The signal has fired: the process is not frozen. */
  | { kind: 'aborting' }
  /** As JSON, because that is what a result becomes. */
  | { kind: 'returned'; json: string }
  | { kind: 'threw'; message: string; failure: Failure };
