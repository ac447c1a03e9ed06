import { type Api, type Schemas, take } from './api-client.js';

/** A job as the pages submit it. */
export interface Submission {
  type: string;
  payload: object;
  max_retries: number;
  run_at?: string;
}

/** Submits a job. The same key with the same content returns the same job. */
export function submitJob(api: Api, key: string, submission: Submission): Promise<{ id: string }> {
  // The cast: in the generated type, an object with any keys allows no keys.
  const body = submission as unknown as Schemas['Submission'];
  return take(api.POST('/jobs', { params: { header: { 'Idempotency-Key': key } }, body }));
}
