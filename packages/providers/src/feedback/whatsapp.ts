import { createHmac } from 'node:crypto';
import type { FeedbackEvent } from '@jobline/handlers/ports';
import { readJson } from '../call-provider.js';
import {
  type Callback,
  type CallbackHead,
  type Feedback,
  isEqual,
  type Meanings,
  readWords,
  statusEvent,
} from './callback.js';

/*
 * The webhook of WhatsApp's Cloud API. Sources: developers.facebook.com/docs/graph-api/webhooks/getting-started
 * (challenge and signature), developers.facebook.com/docs/whatsapp/cloud-api/webhooks/components (statuses).
 */

const SIGNATURE = 'x-hub-signature-256';

/** Whether the callback has a signature that can be verified. */
export function hasWhatsappSignature({ headers }: CallbackHead, secret: string | undefined): boolean {
  return Boolean(secret) && typeof headers[SIGNATURE] === 'string';
}

/** Whether Meta has signed exactly this body with the secret of the app. */
export function isSignedByWhatsapp({ body, headers }: Callback, secret: string | undefined): boolean {
  const signature = headers[SIGNATURE];
  if (!secret || typeof signature !== 'string') return false;
  return isEqual(signature, `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`);
}

/** Whether the request, with which Meta checks the address of its callbacks, has the right token. */
export function hasVerifyToken({ query }: CallbackHead, token: string | undefined): boolean {
  const given = query.get('hub.verify_token');
  return Boolean(token) && given !== null && isEqual(given, token ?? '');
}

/** The text that Meta expects as the answer to such a request. Null: it is no such request. */
export function readChallenge({ query }: CallbackHead): string | null {
  const challenge = query.get('hub.challenge');
  return query.get('hub.mode') === 'subscribe' && challenge ? challenge : null;
}

const MEANINGS: Meanings = new Map([
  ['sent', 'sent'],
  ['delivered', 'delivered'],
  ['read', 'delivered'],
  ['played', 'delivered'],
  ['failed', 'failed'],
]);

interface Batch {
  entry?: unknown;
}

interface Status {
  id?: unknown;
  status?: unknown;
  timestamp?: unknown;
  errors?: unknown;
}

/**
 * Reads a notification: statuses of messages of any phone number of the account. What it says of other things, such as
 * messages of people, is ignored.
 */
export function readWhatsappStatuses({ body }: Callback): Feedback | null {
  const entries = readJson<Batch>(new TextDecoder().decode(body))?.entry;
  if (!Array.isArray(entries)) return null;
  const statuses = entries
    .flatMap((entry) => listOf(entry, 'changes'))
    .flatMap((change) => listOf(memberOf(change, 'value'), 'statuses'));
  const read = statuses.map(readStatus);
  const events = read.filter((event) => event !== null);
  return { events, unreadableCount: read.length - events.length };
}

function readStatus(value: unknown): FeedbackEvent | null {
  // The cast only says that an object may have any member.
  const { id, status, timestamp, errors } = (isObject(value) ? value : {}) as Status;
  const reason = readReason(Array.isArray(errors) ? errors[0] : null);
  return statusEvent(id, status, MEANINGS, { reason, occurredAt: readSeconds(timestamp) });
}

/** Title and details of an error, without repetition, and its code. */
function readReason(error: unknown): string | null {
  const code = memberOf(error, 'code');
  const details = memberOf(memberOf(error, 'error_data'), 'details');
  const words = [memberOf(error, 'title'), memberOf(error, 'message'), details].flatMap(
    (text) => readWords(text) ?? [],
  );
  const said = [...new Set(words)].join(': ');
  return readWords(typeof code === 'number' ? `${said} (${code})` : said);
}

function listOf(value: unknown, name: string): unknown[] {
  const list = memberOf(value, name);
  return Array.isArray(list) ? list : [];
}

function memberOf(value: unknown, name: string): unknown {
  return isObject(value) && Object.hasOwn(value, name) ? value[name] : null;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

/** Reads a time such as "1504902988". */
function readSeconds(value: unknown): Date | null {
  return typeof value === 'string' && /^\d{9,11}$/.test(value) ? new Date(Number(value) * 1_000) : null;
}
