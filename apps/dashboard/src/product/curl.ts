/**
 * Returns a curl command that submits a job. Without a key, it reads the key from the shell variable $JOBLINE_KEY. Single
 * quotes keep the shell from changing the body.
 */
export function curlOf(origin: string, job: object, key?: string): string {
  return [
    `curl -s ${origin}/jobs`,
    key === undefined ? `-H "X-API-Key: $JOBLINE_KEY"` : `-H ${quoted(`X-API-Key: ${key}`)}`,
    `-H 'Content-Type: application/json'`,
    `-d ${quoted(JSON.stringify(job))}`,
  ].join(' \\\n  ');
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
