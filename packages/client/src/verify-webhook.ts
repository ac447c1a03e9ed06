import { JoblineError } from './jobline-error.js';
import type { Schemas } from './operations.js';
import type { JobSummary } from './types.js';

/** The body of a request that Jobline sends to a webhook or to the `callback_url` of a job. */
export type WebhookEvent = JobFinished | OtherEvent;

interface JobFinished {
  id: string;
  type: 'job.done' | 'job.failed';
  timestamp: string;
  data: JobSummary & {
    error?: Schemas['JobError'];
    /** Of a done job. */
    result?: unknown;
    /** The result does not fit into the event. */
    result_omitted?: true;
  };
}

interface OtherEvent {
  id: string;
  type: Exclude<EventName, JobFinished['type']> | 'test.ping';
  timestamp: string;
  data: { id: string } & Record<string, unknown>;
}

/** What webhooks choose from, without the patterns. */
type EventName = Exclude<Schemas['Webhook']['events'][number], `${string}*`>;

/** The headers of the request: those of `fetch`, of Node, or a plain object. */
export type WebhookHeaders = FetchHeaders | Readonly<Record<string, string | readonly string[] | undefined>>;

/** Also of a `Headers` class that is not the global one. */
interface FetchHeaders {
  get(name: string): string | null;
}

const TOLERANCE_S = 5 * 60;
const MAX_SIGNATURES = 64;

/**
 * Checks that a request comes from Jobline, by the rules of standardwebhooks.com, and resolves with the event. `body` must
 * be the body as it arrived: a body that was parsed and written again has another signature. Rejects with a JoblineError
 * of the code `invalid_signature`. For a job of the type `webhook`, the event is its payload.
 */
export async function verifyWebhook<Event = WebhookEvent>(
  body: string | Uint8Array | ArrayBuffer,
  headers: WebhookHeaders,
  secret: string,
): Promise<Event> {
  const read = (name: string) => readHeader(headers, `webhook-${name}`);
  const [id, timestamp, signatures] = [read('id'), read('timestamp'), read('signature')];
  if (!id || !timestamp || !signatures)
    throw invalid('It needs the headers webhook-id, webhook-timestamp and webhook-signature.');
  checkTime(timestamp);
  const bytes = toBytes(body);
  const signed = concat(new TextEncoder().encode(`${id}.${timestamp}.`), bytes);
  if (!(await isSigned(signed, signatures, await importSecret(secret))))
    throw invalid('No signature matches. Check the secret, and that the body is unchanged.');
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    throw invalid('The body is not JSON.');
  }
}

function checkTime(timestamp: string): void {
  const seconds = /^\d{1,12}$/.test(timestamp) ? Number(timestamp) : Number.NaN;
  if (!(Math.abs(Date.now() / 1_000 - seconds) <= TOLERANCE_S))
    throw invalid('Its time differs from the clock of this machine by more than five minutes.');
}

async function isSigned(signed: Uint8Array<ArrayBuffer>, signatures: string, key: CryptoKey): Promise<boolean> {
  for (const one of signatures.split(' ', MAX_SIGNATURES)) {
    const signature = one.startsWith('v1,') ? decodeBase64(one.slice('v1,'.length)) : null;
    // The comparison takes the same time for every signature.
    if (signature && (await crypto.subtle.verify('HMAC', key, signature, signed))) return true;
  }
  return false;
}

async function importSecret(secret: string): Promise<CryptoKey> {
  const key = typeof secret === 'string' ? decodeBase64(secret.replace(/^whsec_/, '')) : null;
  if (!key || key.length === 0) throw invalid('The secret is not one of Jobline: those begin with whsec_.');
  return crypto.subtle.importKey('raw', key, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify']);
}

function readHeader(headers: WebhookHeaders, name: string): string | undefined {
  if (isOfFetch(headers)) return headers.get(name) ?? undefined;
  const found = Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];
  return typeof found === 'string' ? found : found?.join(' ');
}

function isOfFetch(headers: WebhookHeaders): headers is FetchHeaders {
  return typeof headers.get === 'function';
}

function toBytes(body: string | Uint8Array | ArrayBuffer): Uint8Array {
  if (typeof body === 'string') return new TextEncoder().encode(body);
  if (ArrayBuffer.isView(body)) return new Uint8Array(body.buffer, body.byteOffset, body.byteLength);
  if (body instanceof ArrayBuffer) return new Uint8Array(body);
  throw invalid('Pass the body as it arrived, as a text or as bytes: not a parsed object.');
}

function concat(first: Uint8Array, second: Uint8Array): Uint8Array<ArrayBuffer> {
  const joined = new Uint8Array(first.length + second.length);
  joined.set(first);
  joined.set(second, first.length);
  return joined;
}

function decodeBase64(text: string): Uint8Array<ArrayBuffer> | null {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return null; // not base64
  }
}

function invalid(reason: string): JoblineError {
  return new JoblineError({ code: 'invalid_signature', message: `The webhook cannot be trusted. ${reason}` });
}
