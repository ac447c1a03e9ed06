/** A command that does the same as the form, for a shell: single quotes keep everything as it is. */
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
