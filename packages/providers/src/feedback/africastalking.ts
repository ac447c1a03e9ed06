import { type Callback, type Feedback, type Meanings, readWords, statusEvent } from './callback.js';

const MEANINGS: Meanings = new Map([
  ['Sent', 'sent'],
  ['Submitted', 'sent'],
  ['Buffered', 'sent'],
  ['Success', 'delivered'],
  ['Rejected', 'failed'],
  ['Failed', 'failed'],
  // The phone was off, or the operator gave up. A later success overrides this.
  ['AbsentSubscriber', 'failed'],
  ['Expired', 'failed'],
]);

/** Reads a delivery report: a form with the status of one message. */
export function readAfricasTalkingReport({ body }: Callback): Feedback | null {
  const form = new URLSearchParams(new TextDecoder().decode(body));
  const reason = readWords(form.get('failureReason'));
  const event = statusEvent(form.get('id'), form.get('status'), MEANINGS, { reason });
  return event && { events: [event], unreadableCount: 0 };
}
