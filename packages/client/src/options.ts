import { invalidOptions } from './jobline-error.js';
import type { Progress } from './types.js';

export interface JoblineOptions {
  /** The address of the API, such as `https://jobs.example.com`. */
  url: string | undefined;
  /** An API key. Programs use a key; for what keys may not do, use a token. */
  key?: string | undefined;
  /** The token of a session, from `auth.login`. */
  token?: string | undefined;
  /** Replaces the global `fetch`. */
  fetch?: typeof fetch | undefined;
  /** The time limit of one try of a request. Default: 60,000. */
  timeoutMs?: number | undefined;
  /** How often a request is repeated at most. Default: 4. */
  maxRetries?: number | undefined;
}

/** Options of one request. */
export interface RequestOptions {
  /** Ends the request: the call rejects with the reason of the signal. */
  signal?: AbortSignal | undefined;
  /** The time limit of each try. */
  timeoutMs?: number | undefined;
  /** How often the request is repeated at most. */
  maxRetries?: number | undefined;
  /** Requests with the same key are carried out once. Default: a new key for each call. Only for calls that take one. */
  idempotencyKey?: string | undefined;
}

/** Options of a call that waits. */
export interface WaitOptions {
  /** How long to wait at most. */
  timeoutMs?: number | undefined;
  signal?: AbortSignal | undefined;
  /** Called with the progress that the handler of the job reports, about once a second. */
  onProgress?: ((progress: Progress) => void) | undefined;
}

/** The options of a client, checked and with their defaults. */
export interface Connection {
  /** Without a slash at its end. */
  baseUrl: string;
  credential: Credential | null;
  fetch: typeof fetch;
  timeoutMs: number;
  maxRetries: number;
}

export interface Credential {
  kind: 'key' | 'token';
  header: readonly [name: string, value: string];
}

/** The longest delay of a timer. Timers with more fire at once. */
export const MAX_TIMEOUT_MS = 2 ** 31 - 1;
const MOST_RETRIES = 100;
const DEFAULTS = { timeoutMs: 60_000, maxRetries: 4 };

export function readOptions(options: JoblineOptions): Connection {
  const { url, timeoutMs = DEFAULTS.timeoutMs, maxRetries = DEFAULTS.maxRetries } = options;
  checkTimeout(timeoutMs);
  checkRetries(maxRetries);
  return {
    baseUrl: readUrl(url),
    credential: readCredential(options),
    // Called as a plain function: browsers reject a fetch with another receiver.
    fetch: options.fetch ?? ((input, init) => fetch(input, init)),
    timeoutMs,
    maxRetries,
  };
}

export function checkTimeout(timeoutMs: number): void {
  if (!(timeoutMs > 0 && timeoutMs <= MAX_TIMEOUT_MS))
    throw invalidOptions(`timeoutMs must be more than 0 and at most ${MAX_TIMEOUT_MS}; it is ${timeoutMs}.`);
}

export function checkRetries(maxRetries: number): void {
  if (!(Number.isInteger(maxRetries) && maxRetries >= 0 && maxRetries <= MOST_RETRIES))
    throw invalidOptions(`maxRetries must be a whole number from 0 to ${MOST_RETRIES}; it is ${maxRetries}.`);
}

function readUrl(url: string | undefined): string {
  const parsed = parseUrl(url ?? '');
  if (!parsed || !/^https?:$/.test(parsed.protocol))
    throw invalidOptions(`url must be the address of the API, such as https://jobs.example.com; it is ${url}.`);
  if (parsed.username || parsed.password || parsed.search || parsed.hash)
    throw invalidOptions(
      'url must have no credentials, no query and no fragment. Pass the credential as key or token.',
    );
  const { href } = parsed;
  return href.endsWith('/') ? href.slice(0, -1) : href;
}

function parseUrl(url: string): URL | null {
  try {
    return new URL(url);
  } catch {
    return null; // the caller says what is expected
  }
}

/** A credential that is given but empty is an error: usually an environment variable is not set. */
function readCredential(options: JoblineOptions): Credential | null {
  const given = (['key', 'token'] as const).filter((kind) => kind in options);
  const [kind, other] = given;
  if (!kind) return null;
  if (other) throw invalidOptions('Pass either key or token, not both.');
  const value = options[kind];
  // Header values have visible ASCII characters only; fetch would reject others with an unclear error.
  if (typeof value !== 'string' || !/^[\x21-\x7e]+$/.test(value))
    throw invalidOptions(
      `${kind} must be a text without spaces. Check that the variable that you read it from is set.`,
    );
  return { kind, header: kind === 'key' ? ['x-api-key', value] : ['authorization', `Bearer ${value}`] };
}
