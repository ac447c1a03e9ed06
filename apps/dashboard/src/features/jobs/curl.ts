/**
 * Returns a curl command that submits the same job as the form. Single quotes keep the shell from changing the body.
 */
export function curlOf(origin: string, body: object): string {
  return [
    `curl -s ${origin}/jobs`,
    `-H "X-API-Key: $JOBLINE_KEY"`,
    `-H 'Content-Type: application/json'`,
    `-d ${quoted(JSON.stringify(body))}`,
  ].join(' \\\n  ');
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
