import type { Delivery } from './use-webhooks.js';

/** The latest answer of the receiver in short: "500", "no answer: connect ECONNREFUSED", or nothing before the first attempt. */
export function answerOf({
  attempts,
  last_status: status,
  last_error: error,
}: Pick<Delivery, 'attempts' | 'last_status' | 'last_error'>): string {
  if (attempts === 0) return '';
  if (status !== null) return String(status);
  return error === null ? 'no answer' : `no answer: ${error}`;
}
