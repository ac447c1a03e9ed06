import type { JobKey, LogLevel, OrgId } from '@jobline/contracts';

/** The attempt that a handler runs, as far as the ports need to know it. */
export interface JobRun {
  /** The job's own id: the same on every attempt. Pass it to providers, so that they ignore a repeated call. */
  readonly idempotencyKey: JobKey;
  readonly orgId: OrgId;
  /** The number of the attempt, from 1. Counting continues after a worker has died. */
  readonly attempt: number;
  /** Aborted when the time limit passes, the job is canceled or the worker stops. Pass it to everything that waits. */
  readonly signal: AbortSignal;
  /** Adds a line to the job's log. The organization can read it, so it must not contain secrets. */
  log(level: LogLevel, message: string): void;
}
