import { type Answer, textOf } from './api-client.js';
import type { Received } from './listener.js';

const MAX_LENGTH = 300;

/** The result in the answer of GET /jobs/{id}/result, in one line. */
export function describeResult({ body }: Answer): string {
  const result = typeof body === 'object' && body !== null && 'result' in body ? body.result : null;
  const text = JSON.stringify(result) ?? 'none';
  return text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH)} …` : text;
}

/** An email or SMS as the API has it on record. */
export function describeMessage(answer: Answer): string {
  const [status, provider, from, to] = ['status', 'provider', 'from', 'to'].map((name) => textOf(answer, 200, name));
  return `from ${from} to ${to}, provider ${provider}, status ${status}`;
}

/** Where each of a job's files can be fetched. */
export function artifactUrls({ body }: Answer): string[] {
  if (!Array.isArray(body)) return [];
  return body.flatMap((artifact: unknown) => {
    const url = typeof artifact === 'object' && artifact !== null && 'url' in artifact ? artifact.url : undefined;
    return typeof url === 'string' ? [url] : [];
  });
}

export function describeReceived(received: readonly Received[]): string {
  if (received.length === 0) return 'The listener got no request.';
  const ids = [...new Set(received.map((request) => request.webhookId))].join(' ');
  const answers = received.map((request) => request.status).join(', ');
  return `The listener got ${received.length} request${received.length === 1 ? '' : 's'}, webhook-id ${ids}, and answered ${answers}.`;
}
