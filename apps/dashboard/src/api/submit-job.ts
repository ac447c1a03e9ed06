import { type Api, type Schemas, take } from './api-client.js';

/** A job as pages submit it. */
export interface Submission {
  type: string;
  payload: object;
  max_retries: number;
  run_at?: string;
}

/** Submits a job; the same key with the same content is the same job. */
export function submitJob(api: Api, key: string, submission: Submission): Promise<{ id: string }> {
  // The cast: the document's type of a payload, an object with any keys, allows none.
  const body = submission as unknown as Schemas['Submission'];
  return take(api.POST('/jobs', { params: { header: { 'Idempotency-Key': key } }, body }));
}
