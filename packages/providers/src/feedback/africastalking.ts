import type { FeedbackEvent } from '@jobline/handlers/ports';
import { type Callback, type Feedback, readId, readWords } from './callback.js';

type Meaning = FeedbackEvent['status'];

const MEANINGS: ReadonlyMap<string, Meaning> = new Map<string, Meaning>([
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

/**
 * Reads a delivery report: a form with the status of one message. It has no id, so the message id and the status
 * identify it.
 */
export function readAfricasTalkingReport({ body }: Callback): Feedback | null {
  const form = new URLSearchParams(new TextDecoder().decode(body));
  const providerMessageId = readId(form.get('id'));
  const kind = readId(form.get('status'));
  if (providerMessageId === null || kind === null) return null;
  const eventId = readId(`${providerMessageId}:${kind}`);
  if (eventId === null) return null;
  const event: FeedbackEvent = {
    eventId,
    messageId: null,
    providerMessageId,
    kind,
    status: MEANINGS.get(kind) ?? null,
    reason: readWords(form.get('failureReason')),
    suppresses: null,
    occurredAt: null,
  };
  return { events: [event], unreadableCount: 0 };
}
