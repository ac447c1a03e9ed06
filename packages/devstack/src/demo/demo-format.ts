import { type Answer, fieldOf, textOf } from './api-client.js';
import type { Received } from './listener.js';

const MAX_LENGTH = 300;

/** The log of a job (the body of GET /jobs/{id}/logs), one line per entry, with the time since the submission. */
export function formatLog(createdAt: string, { body }: Answer): string[] {
  if (!Array.isArray(body)) throw new Error('the log is not a list');
  return body.map((entry: unknown) => {
    const [timestamp, attempt, level, message] = ['timestamp', 'attempt', 'level', 'message'].map((name) =>
      String(fieldOf(entry, name)),
    );
    const seconds = ((Date.parse(timestamp ?? '') - Date.parse(createdAt)) / 1_000).toFixed(3);
    return `+${seconds} s  attempt ${attempt}  ${level}  ${message}`;
  });
}

/** The body of GET /jobs/{id}/result in one line. */
export function formatResult({ body }: Answer): string {
  const text = JSON.stringify(fieldOf(body, 'result')) ?? 'none';
  return text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH)} …` : text;
}

/** An email or text message as the API shows it. */
export function formatMessage(answer: Answer): string {
  const [status, provider, from, to] = ['status', 'provider', 'from', 'to'].map((name) => textOf(answer, 200, name));
  return `from ${from} to ${to}, provider ${provider}, status ${status}`;
}

/** The paths of a job's files (the body of GET /jobs/{id}/artifacts). */
export function artifactPaths({ body }: Answer): string[] {
  return Array.isArray(body) ? body.map((artifact: unknown) => String(fieldOf(artifact, 'url'))) : [];
}

export function formatReceived(received: readonly Received[]): string {
  if (received.length === 0) return 'The listener received no request.';
  const ids = [...new Set(received.map((request) => request.webhookId))].join(' ');
  const answers = received.map((request) => request.status).join(', ');
  return `The listener received webhook-id ${ids} and answered ${answers}.`;
}
