import type { Jobline, SubmitOptions } from '@jobline/client';

/** A job as the pages submit it. */
export interface Submission extends Omit<SubmitOptions, 'signal' | 'timeoutMs' | 'maxRetries' | 'idempotencyKey'> {
  type: string;
  payload: object;
}

/** Submits a job. The same key with the same content returns the same job. */
export function submitJob(
  api: Jobline,
  key: string,
  { type, payload, ...fields }: Submission,
): Promise<{ id: string }> {
  return api.jobs.submit(type, payload, { ...fields, idempotencyKey: key });
}
