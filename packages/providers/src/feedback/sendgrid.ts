import { createHash, verify } from 'node:crypto';
import { addressKey, type FeedbackEvent } from '@jobline/handlers/ports';
import { isUuid, siblingId } from '@jobline/runtime';
import { readJson } from '../call-provider.js';
import { type Callback, type CallbackHead, type Feedback, readId, readPublicKey, readWords } from './callback.js';

/** The custom argument that carries our message id. SendGrid includes it in every event. */
export const MESSAGE_ID_ARG = 'jl_message_id';
/** The custom argument of an email with copies: what the id would be of a copy to its `to`. */
export const TO_ID_ARG = 'jl_to_id';

const MAX_ADDRESS_LENGTH = 320;
const SIGNATURE = 'x-twilio-email-event-webhook-signature';
const TIMESTAMP = 'x-twilio-email-event-webhook-timestamp';

/** Whether the callback has a signature that can be verified. */
export function hasSendgridSignature({ headers }: CallbackHead, publicKey: string | undefined): boolean {
  return publicKey !== undefined && typeof headers[SIGNATURE] === 'string' && typeof headers[TIMESTAMP] === 'string';
}

/**
 * Whether SendGrid has signed exactly this body. Old signatures are accepted: SendGrid repeats a delivery for a day
 * with its first signature, and a repeat changes nothing.
 */
export function isSignedBySendgrid({ body, headers }: Callback, publicKey: string | undefined): boolean {
  const key = publicKey === undefined ? null : readPublicKey(publicKey);
  const { [SIGNATURE]: signature, [TIMESTAMP]: timestamp } = headers;
  if (!key || typeof signature !== 'string' || typeof timestamp !== 'string') return false;
  return verify('sha256', Buffer.concat([Buffer.from(timestamp), body]), key, Buffer.from(signature, 'base64'));
}

/** Reads the event webhook: an array of events of several messages and kinds. */
export function readSendgridEvents({ body }: Callback): Feedback | null {
  const entries = readJson<unknown[]>(new TextDecoder().decode(body));
  if (!Array.isArray(entries)) return null;
  const read = entries.map(readEvent);
  return {
    events: read.filter((event) => event !== null && event !== 'without message'),
    unreadableCount: read.filter((event) => event === null).length,
  };
}

function readEvent(entry: unknown): FeedbackEvent | 'without message' | null {
  if (typeof entry !== 'object' || entry === null) return null;
  // The cast only says that an object may have any field.
  const fields = entry as Record<string, unknown>;
  const kind = readId(fields.event);
  if (kind === null) return null;
  const messageId = readMessageId(fields);
  // The part after the first dot describes the path of the message through SendGrid's servers.
  const providerMessageId = readId(fields.sg_message_id)?.split('.', 1)[0] || null;
  if (messageId === null && (providerMessageId === null || TO_ID_ARG in fields)) return 'without message';
  return {
    eventId: readId(fields.sg_event_id) ?? contentId(fields),
    messageId,
    providerMessageId,
    kind,
    reason: readWords(fields.reason) ?? readWords(fields.response),
    occurredAt: readSeconds(fields.timestamp),
    ...meaningOf(kind, fields),
  };
}

/** The id of the message to the recipient that the event is about. Null: the event does not show it. */
function readMessageId({ [MESSAGE_ID_ARG]: ours, [TO_ID_ARG]: toId, email }: Record<string, unknown>): string | null {
  const id = typeof ours === 'string' && isUuid(ours) ? ours.toLowerCase() : null;
  if (id === null || toId === undefined) return id;
  if (typeof email !== 'string' || email.length > MAX_ADDRESS_LENGTH) return null;
  const copy = siblingId(id, addressKey(email));
  return copy === toId ? id : copy;
}

function meaningOf(kind: string, { type, status, reason }: Record<string, unknown>): Meaning {
  switch (kind) {
    case 'processed':
      return { status: 'sent', suppresses: null };
    case 'delivered':
      return { status: 'delivered', suppresses: null };
    case 'bounce': {
      // Blocked: the message was rejected this time, but the address is valid.
      const isHard = typeof type === 'string' ? type === 'bounce' : !String(status ?? '').startsWith('4');
      return { status: 'bounced', suppresses: isHard ? 'bounce' : null };
    }
    case 'dropped':
      if (String(reason).startsWith('Bounced Address')) return { status: 'bounced', suppresses: 'bounce' };
      return { status: 'failed', suppresses: reason === 'Spam Reporting Address' ? 'complaint' : null };
    case 'spamreport':
      return { status: 'complained', suppresses: 'complaint' };
    default:
      return { status: null, suppresses: null };
  }
}

type Meaning = Pick<FeedbackEvent, 'status' | 'suppresses'>;

/** Makes the id of an event without one from its content, so that a repeated event has the same id. */
function contentId(fields: Record<string, unknown>): string {
  return `sha256:${createHash('sha256').update(JSON.stringify(fields)).digest('hex')}`;
}

function readSeconds(value: unknown): Date | null {
  const at = typeof value === 'number' ? new Date(value * 1000) : null;
  return at && at.getTime() > 0 && at.getUTCFullYear() < 10_000 ? at : null;
}
