import type { Schemas } from '../../api/api-client.js';

/** A curl line that submits the same job anew, for a shell that has the key in $KEY. */
export function asCurl({ type, payload, max_retries }: Schemas['Job'], origin: string): string {
  const body = JSON.stringify({ type, payload, ...(max_retries > 0 && { max_retries }) });
  const headers = `-H "X-API-Key: $KEY" -H 'Content-Type: application/json'`;
  return `curl -s ${origin}/jobs ${headers} \\\n  -d ${quoted(body)}`;
}

/** The job as the API tells it, with how it went. */
export function asJson(job: Schemas['Job'], result: Schemas['JobResult'] | undefined): string {
  return JSON.stringify({ ...job, ...(result && { ...result }) }, null, 2);
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
