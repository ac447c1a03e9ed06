import type { JobErrorCode } from '@jobline/contracts';

/** A failed attempt with a reason of its own. Retried while retries are left. */
export class HandlerError extends Error {
  readonly code: JobErrorCode;

  constructor(code: JobErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'HandlerError';
    this.code = code;
  }
}

/** A failed attempt after which no retry may follow, however many are left. */
export class PermanentError extends HandlerError {
  constructor(message: string, options: ErrorOptions & { code?: JobErrorCode } = {}) {
    super(options.code ?? 'handler_error', message, options);
    this.name = 'PermanentError';
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

/** An address that the service may not call. No retry follows. */
export class OutboundForbidden extends PermanentError {
  constructor(message: string, options: ErrorOptions = {}) {
    super(message, { ...options, code: 'outbound_forbidden' });
    this.name = 'OutboundForbidden';
  }
}
