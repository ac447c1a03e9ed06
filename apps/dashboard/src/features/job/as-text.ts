import type { Schemas } from '@jobline/client';
import { curlOf } from '../../product/curl.js';

/** Returns a curl command that submits the same job again. */
export function asCurl({ type, payload, max_retries }: Schemas['Job'], origin: string): string {
  return curlOf(origin, { type, payload, ...(max_retries > 0 && { max_retries }) });
}

/** Returns the job with its result as JSON. */
export function asJson(job: Schemas['Job'], result: Schemas['JobResult'] | undefined): string {
  return JSON.stringify({ ...job, ...(result && { ...result }) }, null, 2);
}
