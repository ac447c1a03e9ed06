import { inspect } from 'node:util';
import { JOB_ERROR_CODES, type JobErrorCode } from '@jobline/contracts';

export { retryAfterMs } from './http/retry-after.js';

/** On each of our errors: a handler's file may bring a copy of this package, whose classes are not ours. */
const MARK: unique symbol = Symbol.for('@jobline/handlers/error');

/** A failed attempt with a reason of its own. Retried while retries are left. */
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

/** A failed attempt after which no retry may follow, however many are left. */
export class PermanentError extends HandlerError {
  constructor(message: string, options: ErrorOptions & { code?: JobErrorCode } = {}) {
    super(options.code ?? 'handler_error', message, options);
    this.name = 'PermanentError';
  }

  override get [MARK](): Mark {
    return 'permanent';
  }
}

/** A failed attempt whose retry must wait at least `delayMs`. It raises the backoff, never lowers it. */
export class RetryLater extends HandlerError {
  readonly delayMs: number;

  constructor(delayMs: number, message: string, options: ErrorOptions & { code?: JobErrorCode } = {}) {
    super(options.code ?? 'provider_unavailable', message, options);
    this.name = 'RetryLater';
    this.delayMs = delayMs;
  }
}

/** An attempt that may not do its work yet: the job runs again after `delayMs` or later, and no retry is used. */
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
 * - `rejected`: it refused the request, and would again;
 * - `transient`: it failed before it did anything, or says so;
 * - `throttled`: it takes no more for now, from anybody on this account;
 * - `ambiguous`: nobody knows whether it did what it was asked to.
 */
export type ProviderFailureKind = 'rejected' | 'transient' | 'throttled' | 'ambiguous';

/** A call to a provider that failed. Its message is in the provider's own words: one line, bounded. */
export class ProviderFailure extends HandlerError {
  readonly kind: ProviderFailureKind;
  /** The wait that the provider asked for. It raises the backoff, never lowers it. */
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

  /** As RetryLater has it. */
  get delayMs(): number {
    return this.retryAfterMs ?? 0;
  }
}

const MAX_WORDS = 500;

function oneLine(message: string): string {
  const line = message.replace(/[\s\p{Cc}]+/gu, ' ').trim();
  return line.length > MAX_WORDS ? `${line.slice(0, MAX_WORDS)}…` : line;
}

/** An address that the service may not call. No retry follows. */
export class OutboundForbidden extends PermanentError {
  constructor(message: string, options: ErrorOptions = {}) {
    super(message, { ...options, code: 'outbound_forbidden' });
    this.name = 'OutboundForbidden';
  }
}

/** What a thrown value asks for, beside its message. */
export interface Failure {
  code: JobErrorCode;
  isPermanent: boolean;
  /** It did not begin its work: no retry is used. */
  isPostponed: boolean;
  /** The wait that it asks for; 0: none. */
  delayMs: number;
}

/**
 * Reads it off our errors, whichever copy of this package they come from. Anything else is a `handler_error`, a value whose
 * fields throw when they are read too: a handler may throw anything, and this never throws.
 */
export function failureOf(thrown: unknown): Failure {
  try {
    return readFailure(thrown) ?? { ...UNMARKED };
  } catch {
    return { ...UNMARKED };
  }
}

/** What was thrown, in a sentence: an error's message, anything else as it would be printed. Never throws. */
export function messageOf(thrown: unknown): string {
  try {
    return thrown instanceof Error ? String(thrown.message || thrown.name) : inspect(thrown, { depth: 1 });
  } catch {
    return 'what was thrown cannot be read as text';
  }
}

const UNMARKED: Failure = { code: 'handler_error', isPermanent: false, isPostponed: false, delayMs: 0 };

/** Null: it is none of our errors. */
function readFailure(thrown: unknown): Failure | null {
  if (!(thrown instanceof Error) || !(MARK in thrown)) return null;
  // The cast: it has the mark, so its fields are ours, of another version at most.
  const { code, delayMs, [MARK]: mark } = thrown as HandlerError & Partial<RetryLater>;
  return {
    code: Object.hasOwn(JOB_ERROR_CODES, code) ? code : 'handler_error',
    isPermanent: mark === 'permanent',
    isPostponed: mark === 'postponed',
    delayMs: typeof delayMs === 'number' && delayMs > 0 ? delayMs : 0,
  };
}
