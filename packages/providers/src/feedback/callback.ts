import { createHash, createPublicKey, type KeyObject, timingSafeEqual, verify } from 'node:crypto';
import type { FeedbackEvent } from '@jobline/handlers/ports';

/** A request that a provider makes to us, as it came. */
export interface Callback {
  body: Uint8Array;
  /** Lower-case names. */
  headers: Readonly<Record<string, string | string[] | undefined>>;
  query: URLSearchParams;
}

/** All of it that comes before its body. */
export type CallbackHead = Omit<Callback, 'body'>;

/** What a callback tells. `issues` are entries that nobody can read, among others that are taken all the same. */
export interface Feedback {
  events: FeedbackEvent[];
  unreadableCount: number;
}

/** Reads the callback of a provider. Null: it is not what the provider sends. */
export type ReadFeedback = (callback: Callback) => Feedback | null;

/**
 * Whether the callback's address has one of the secrets that the provider was given: the current one, or the one before it.
 * False without any. Takes the same time for each.
 */
export function hasSecret({ query }: Callback, secrets: readonly (string | undefined)[]): boolean {
  const [given, ...others] = query.getAll('secret');
  if (given === undefined || others.length > 0) return false;
  const equal = secrets.filter((secret) => secret && timingSafeEqual(digest(given), digest(secret)));
  return equal.length > 0;
}

/** Of one length, whatever the text. */
function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

/** A key as SendGrid shows it: base64 of the DER of a P-256 public key. Null for anything else. */
export function readPublicKey(base64: string): KeyObject | null {
  try {
    const key = createPublicKey({ key: Buffer.from(base64, 'base64'), format: 'der', type: 'spki' });
    return key.asymmetricKeyDetails?.namedCurve === 'prime256v1' ? key : null;
  } catch (error) {
    if (error instanceof Error) return null;
    throw error;
  }
}

/** Whether a signature of ECDSA with SHA-256, in base64, is of exactly these bytes. */
export function isSignedBy(key: KeyObject, content: Uint8Array, signature: string): boolean {
  return verify('sha256', content, key, Buffer.from(signature, 'base64'));
}

const MAX_ID_LENGTH = 255;
const MAX_WORDS = 500;

/** An id as Postgres can keep it, or null. */
export function readId(value: unknown): string | null {
  return typeof value === 'string' && /^[\x21-\x7e]+$/.test(value) && value.length <= MAX_ID_LENGTH ? value : null;
}

/** Words for people, bounded and in one line, or null. */
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
