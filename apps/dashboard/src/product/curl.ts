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

/**
 * Returns a shell script that sends the body of a delivery again, signed as Jobline signs it. It reads the secret of the webhook from
 * the variable WEBHOOK_SECRET: the API shows a secret only once, and nothing that is copied should have one.
 */
export function signedCurlOf(url: string, body: Readonly<Record<string, unknown>>): string {
  return [
    `BODY=${quoted(JSON.stringify(body))}`,
    `ID=${quoted(String(body.id))} AT=$(date +%s)`,
    `KEY=$(printf %s "\${WEBHOOK_SECRET#whsec_}" | base64 -d | od -An -v -tx1 | tr -d ' \\n')`,
    `SIGNATURE=$(printf %s "$ID.$AT.$BODY" | openssl dgst -sha256 -mac HMAC -macopt "hexkey:$KEY" -binary | base64)`,
    `curl -si ${quoted(url)} -H 'Content-Type: application/json' -H "webhook-id: $ID" \\`,
    `  -H "webhook-timestamp: $AT" -H "webhook-signature: v1,$SIGNATURE" --data-raw "$BODY"`,
  ].join('\n');
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
