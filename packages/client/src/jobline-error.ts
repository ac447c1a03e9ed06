import type { Schemas } from './operations.js';
import type { ErrorDetail } from './types.js';

/**
 * An error code of the API, or one of the client:
 * - `unreachable`: there was no response;
 * - `timeout`: there was no response, or the job did not finish, within `timeoutMs`;
 * - `unexpected`: the response did not come from Jobline, but for example from a proxy;
 * - `invalid_options`: the client was called with something that it cannot send;
 * - `invalid_signature`: a webhook was not signed with the secret, or not within the last five minutes.
 */
export type JoblineErrorCode = Schemas['ErrorBody']['code'] | ClientErrorCode;

type ClientErrorCode = 'unreachable' | 'timeout' | 'unexpected' | 'invalid_options' | 'invalid_signature';

interface Failure {
  code: JoblineErrorCode;
  /** What happened, without the details. */
  message: string;
  status?: number;
  details?: readonly ErrorDetail[];
  requestId?: string | undefined;
  retryAfterMs?: number | undefined;
  cause?: unknown;
}

/** How many details the message of an error names. The others are in `details`. */
const SHOWN_DETAILS = 3;

/** Every error of the client, except the reasons of your own signals. The message says what to do. */
export class JoblineError extends Error {
  override readonly name = 'JoblineError';
  readonly code: JoblineErrorCode;
  /** The HTTP status; 0 if there was no response. */
  readonly status: number;
  /** The message without the details. */
  readonly summary: string;
  /** What is wrong in the request, field by field. */
  readonly details: readonly ErrorDetail[];
  /** The id under which the log of the API has the request. */
  readonly requestId: string | undefined;
  /** How long the API asked to wait before another request. */
  readonly retryAfterMs: number | undefined;

  constructor({ code, message, status = 0, details = [], requestId, retryAfterMs, cause }: Failure) {
    super(message + shown(details), { cause });
    this.code = code;
    this.status = status;
    this.summary = message;
    this.details = details;
    this.requestId = requestId;
    this.retryAfterMs = retryAfterMs;
  }
}

export function invalidOptions(message: string): JoblineError {
  return new JoblineError({ code: 'invalid_options', message });
}

function shown(details: readonly ErrorDetail[]): string {
  if (details.length === 0) return '';
  const texts = details.slice(0, SHOWN_DETAILS).map(({ path, message }) => (path ? `${path}: ${message}` : message));
  return ` (${texts.join('; ')}${details.length > SHOWN_DETAILS ? '; …' : ''})`;
}
