import { inspect } from 'node:util';
import { JOB_ERROR_CODES, type JobErrorCode } from '@jobline/contracts';

/** Marks our errors. The module of a handler may contain a copy of this package, whose classes differ from ours. */
const MARK: unique symbol = Symbol.for('@jobline/handlers/error');

/** A failed attempt with a specific error code. The job is retried while it has retries left. */
export class HandlerError extends Error {
  readonly code: JobErrorCode;

  constructor(code: JobErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'HandlerError';
    this.code = code;
  }

  get [MARK](): Mark {
    return 'retried';
  }
}

type Mark = 'retried' | 'permanent' | 'postponed';

/** A failed attempt after which the job is not retried, even if it has retries left. */
export class PermanentError extends HandlerError {
  constructor(message: string, options: ErrorOptions & { code?: JobErrorCode } = {}) {
    super(options.code ?? 'handler_error', message, options);
    this.name = 'PermanentError';
  }

  override get [MARK](): Mark {
    return 'permanent';
  }
}

/** A failed attempt whose retry must wait at least `delayMs`. This can lengthen the backoff but not shorten it. */
export class RetryLater extends HandlerError {
  readonly delayMs: number;

  constructor(delayMs: number, message: string, options: ErrorOptions & { code?: JobErrorCode } = {}) {
    super(options.code ?? 'provider_unavailable', message, options);
    this.name = 'RetryLater';
    this.delayMs = delayMs;
  }
}

/** An attempt that may not start its work yet. The job runs again after at least `delayMs`, and no retry is used. */
export class Postponed extends HandlerError {
  readonly delayMs: number;

  constructor(delayMs: number, message: string) {
    super('handler_error', message);
    this.name = 'Postponed';
    this.delayMs = delayMs;
  }

  override get [MARK](): Mark {
    return 'postponed';
  }
}

/**
 * How a call to a provider failed:
 * - `rejected`: it rejected the request, and would reject it again;
 * - `transient`: nothing was done, so a retry may succeed;
 * - `throttled`: it accepts no more requests of this account for now;
 * - `ambiguous`: it is unknown whether the request was executed.
 */
export type ProviderFailureKind = 'rejected' | 'transient' | 'throttled' | 'ambiguous';

/** A failed call to a provider. The message is the text of the provider, in one line and with a maximum length. */
export class ProviderFailure extends HandlerError {
  readonly kind: ProviderFailureKind;
  /** The wait that the provider asked for. It can lengthen the backoff but not shorten it. */
  readonly retryAfterMs: number | null;

  constructor(
    kind: ProviderFailureKind,
    message: string,
    options: ErrorOptions & { retryAfterMs?: number | null } = {},
  ) {
    super(kind === 'rejected' ? 'provider_rejected' : 'provider_unavailable', oneLine(message), options);
    this.name = 'ProviderFailure';
    this.kind = kind;
    this.retryAfterMs = options.retryAfterMs ?? null;
  }

  /** The same property as that of RetryLater. */
  get delayMs(): number {
    return this.retryAfterMs ?? 0;
  }
}

const MAX_WORDS = 500;

function oneLine(message: string): string {
  const line = message.replace(/[\s\p{Cc}]+/gu, ' ').trim();
  return line.length > MAX_WORDS ? `${line.slice(0, MAX_WORDS)}…` : line;
}

/** An address that the service must not call. The job is not retried. */
export class OutboundForbidden extends PermanentError {
  constructor(message: string, options: ErrorOptions = {}) {
    super(message, { ...options, code: 'outbound_forbidden' });
    this.name = 'OutboundForbidden';
  }
}

/** How the engine must handle a thrown value, in addition to its message. */
export interface Failure {
  code: JobErrorCode;
  isPermanent: boolean;
  /** The attempt did not start its work, so no retry is used. */
  isPostponed: boolean;
  /** The wait that it asks for in milliseconds. 0: none. */
  delayMs: number;
}

/**
 * Reads the failure from our errors, including those of another copy of this package. Anything else is a
 * `handler_error`, even a value whose properties throw when they are read. A handler may throw anything, and this
 * function never throws.
 */
export function failureOf(thrown: unknown): Failure {
  try {
    return readFailure(thrown) ?? { ...UNMARKED };
  } catch {
    return { ...UNMARKED };
  }
}

/** The message of an error, or any other value as it would be printed. Never throws. */
export function messageOf(thrown: unknown): string {
  try {
    return thrown instanceof Error ? String(thrown.message || thrown.name) : inspect(thrown, { depth: 1 });
  } catch {
    return 'the thrown value cannot be converted to text';
  }
}

const UNMARKED: Failure = { code: 'handler_error', isPermanent: false, isPostponed: false, delayMs: 0 };

/** Returns null if the thrown value is not one of our errors. */
function readFailure(thrown: unknown): Failure | null {
  if (!(thrown instanceof Error) || !(MARK in thrown)) return null;
  // The cast: it has the mark, so it has our fields, perhaps in another version.
  const { code, delayMs, [MARK]: mark } = thrown as HandlerError & Partial<RetryLater>;
  return {
    code: Object.hasOwn(JOB_ERROR_CODES, code) ? code : 'handler_error',
    isPermanent: mark === 'permanent',
    isPostponed: mark === 'postponed',
    delayMs: typeof delayMs === 'number' && delayMs > 0 ? delayMs : 0,
  };
}

/** The maximum wait. A job must not wait for years because of a receiver's header. */
export const MAX_RETRY_AFTER_MS = 24 * 3_600_000;

/**
 * The wait that a Retry-After header asks for: delta-seconds or an HTTP-date (RFC 9110, 10.2.3). A past date means 0.
 * Null for anything else, including the obsolete date formats.
 */
export function retryAfterMs(header: string | undefined, nowMs = Date.now()): number | null {
  const value = header?.trim() ?? '';
  if (/^\d+$/.test(value)) return bounded(Number(value) * 1000);
  if (!HTTP_DATE.test(value)) return null;
  const atMs = Date.parse(value);
  return Number.isNaN(atMs) ? null : bounded(atMs - nowMs);
}

/**
 * A date such as `Sun, 06 Nov 1994 08:49:37 GMT`. Date.parse alone accepts many other formats, some of them as local
 * time.
 */
const HTTP_DATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

function bounded(ms: number): number {
  return Math.min(Math.max(ms, 0), MAX_RETRY_AFTER_MS);
}
