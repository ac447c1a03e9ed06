import type { Schemas } from '../../api/api-client.js';

/** Returns a curl command that submits the same job again, with the API key in the shell variable $KEY. */
export function asCurl({ type, payload, max_retries }: Schemas['Job'], origin: string): string {
  const body = JSON.stringify({ type, payload, ...(max_retries > 0 && { max_retries }) });
  const headers = `-H "X-API-Key: $KEY" -H 'Content-Type: application/json'`;
  return `curl -s ${origin}/jobs ${headers} \\\n  -d ${quoted(body)}`;
}

/** Returns the job with its result as JSON. */
export function asJson(job: Schemas['Job'], result: Schemas['JobResult'] | undefined): string {
  return JSON.stringify({ ...job, ...(result && { ...result }) }, null, 2);
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
