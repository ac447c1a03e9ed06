import { createHash, createPublicKey, type KeyObject, timingSafeEqual } from 'node:crypto';
import type { FeedbackEvent } from '@jobline/handlers/ports';

/** A request that a provider sends to us, as received. */
export interface Callback {
  body: Uint8Array;
  /** Lower-case names. */
  headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The public URL of this service, with the path and the query as received. */
  url: string;
  query: URLSearchParams;
}

/** The part of a callback that arrives before its body. */
export type CallbackHead = Omit<Callback, 'body'>;

/** The content of a callback. Entries that cannot be read are counted; the others are processed. */
export interface Feedback {
  events: FeedbackEvent[];
  unreadableCount: number;
}

/** Reads a callback. Null if it is not in the form that the provider sends. */
export type ReadFeedback = (callback: Callback) => Feedback | null;

/**
 * Whether the URL of the callback contains one of the secrets: the current or the previous one. False if no secret is
 * configured.
 */
export function hasSecret({ query }: CallbackHead, secrets: readonly (string | undefined)[]): boolean {
  const [given, ...others] = query.getAll('secret');
  if (given === undefined || others.length > 0) return false;
  return secrets.filter((secret) => secret && isEqual(given, secret)).length > 0;
}

/** Compares two texts in constant time. */
export function isEqual(a: string, b: string): boolean {
  return timingSafeEqual(digest(a), digest(b));
}

/** Hashes the text, so that all values have the same length. */
function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

/** Reads a key as SendGrid shows it: base64 of the DER of a P-256 public key. Null for anything else. */
export function readPublicKey(base64: string): KeyObject | null {
  try {
    const key = createPublicKey({ key: Buffer.from(base64, 'base64'), format: 'der', type: 'spki' });
    return key.asymmetricKeyDetails?.namedCurve === 'prime256v1' ? key : null;
  } catch (error) {
    if (error instanceof Error) return null;
    throw error;
  }
}

/** What the names of statuses mean that a provider reports. */
export type Meanings = ReadonlyMap<string, FeedbackEvent['status']>;

/**
 * The event that reports the status of one message. It has no id, so the message id and the status identify it. Null: one of the two
 * is missing.
 */
export function statusEvent(
  id: unknown,
  status: unknown,
  meanings: Meanings,
  more: Partial<Pick<FeedbackEvent, 'messageId' | 'reason' | 'occurredAt'>>,
): FeedbackEvent | null {
  const providerMessageId = readId(id);
  const kind = readId(status);
  const eventId = readId(`${providerMessageId}:${kind}`);
  if (providerMessageId === null || kind === null || eventId === null) return null;
  const read = { eventId, providerMessageId, kind, status: meanings.get(kind) ?? null };
  return { messageId: null, reason: null, suppresses: null, occurredAt: null, ...more, ...read };
}

const MAX_ID_LENGTH = 255;
const MAX_WORDS = 500;

/** An id that Postgres can store, or null. */
export function readId(value: unknown): string | null {
  return typeof value === 'string' && /^[\x21-\x7e]+$/.test(value) && value.length <= MAX_ID_LENGTH ? value : null;
}

/** A text for people, in one line and with a maximum length, or null. */
export function readWords(value: unknown): string | null {
  if (typeof value !== 'string') return null;
  return (
    value
      .slice(0, MAX_WORDS)
      .toWellFormed()
      .replace(/[\s\p{Cc}]+/gu, ' ')
      .trim() || null
  );
}
