import type { LogEntry } from '@jobline/client';
import type { Received } from './listener.js';

const MAX_LENGTH = 300;

/** The log of a job, one line per entry, with the time since the submission. */
export function formatLog(createdAt: string, log: readonly LogEntry[]): string[] {
  return log.map(({ timestamp, attempt, level, message }) => {
    const seconds = ((Date.parse(timestamp) - Date.parse(createdAt)) / 1_000).toFixed(3);
    return `+${seconds} s  attempt ${attempt}  ${level}  ${message}`;
  });
}

/** The result of a job in one line. */
export function formatResult(result: unknown): string {
  const text = JSON.stringify(result) ?? 'none';
  return text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH)} …` : text;
}

export function formatReceived(received: readonly Received[]): string {
  if (received.length === 0) return 'The listener received no request.';
  const ids = [...new Set(received.map((request) => request.webhookId))].join(' ');
  const answers = received.map((request) => request.status).join(', ');
  return `The listener received webhook-id ${ids} and answered ${answers}.`;
}
