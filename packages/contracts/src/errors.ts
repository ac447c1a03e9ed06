/**
 * Every error that the API can respond with, and every reason for which a job can fail. docs/api.md and docs/jobs.md
 * print these two tables; tests compare them with the code.
 */

/** API error code → HTTP status and the cases in which it is used. */
export const ERROR_CODES = {
  invalid_json: { status: 400, when: 'the body is not JSON, or a required body is empty' },
  validation_failed: {
    status: 400,
    when: 'a body, query or path parameter is invalid; `details` lists every issue',
  },
  unauthenticated: { status: 401, when: 'the credential is missing, invalid, expired or revoked' },
  invalid_credentials: { status: 401, when: 'wrong email or password' },
  forbidden: { status: 403, when: 'the role, or the scopes or job types of the API key, do not allow it' },
  cannot_remove_self: { status: 403, when: 'owners cannot remove themselves; another owner can remove them' },
  last_owner: { status: 403, when: 'the last owner of an organization can be neither removed nor given another role' },
  sender_domain_not_verified: {
    status: 403,
    when: '`from` is not an address of a domain that the organization has verified',
  },
  sender_not_registered: { status: 403, when: '`from` is not a sender id that the organization has registered' },
  suppressed: {
    status: 403,
    when: 'the recipient is suppressed; see `/org/suppressions`',
  },
  not_found: { status: 404, when: 'unknown path or resource, and every resource of another organization' },
  invite_not_found: { status: 404, when: 'the invite is unknown, revoked or replaced by a newer one' },
  method_not_allowed: { status: 405, when: 'the path exists, but not with this method; see `Allow`' },
  conflict: { status: 409, when: 'the id or name is taken by something different, or the state does not allow it' },
  invite_expired: { status: 410, when: 'the invite is older than 72 hours' },
  invite_consumed: { status: 410, when: 'the invite has been accepted already' },
  payload_too_large: { status: 413, when: 'the body is over MAX_BODY_BYTES' },
  unsupported_media_type: { status: 415, when: 'the body is not `application/json`' },
  idempotency_key_reused: { status: 422, when: 'the `Idempotency-Key` was sent before with different content' },
  rate_limited: { status: 429, when: 'too many requests; try again after `Retry-After` seconds' },
  internal: { status: 500, when: 'anything else; the log has the cause under the same request id' },
  provider_error: { status: 502, when: 'the email or SMS provider refused a direct send, or did not answer' },
  unknown_effect: {
    status: 502,
    when: 'an earlier request with the same `Idempotency-Key` was interrupted during its call to the provider: it is unknown whether the message was sent',
  },
  unavailable: { status: 503, when: 'Postgres cannot be reached; try again after `Retry-After` seconds' },
} as const satisfies Record<string, { status: number; when: string }>;

export type ErrorCode = keyof typeof ERROR_CODES;

/** Job error code → the cases in which a job fails with it, and whether its remaining retries are used. */
export const JOB_ERROR_CODES = {
  handler_error: { retried: true, when: 'the handler threw' },
  timeout: { retried: true, when: 'the handler took longer than its time limit' },
  provider_rejected: { retried: true, when: 'the receiver or provider refused the request' },
  provider_unavailable: { retried: true, when: 'the receiver or provider failed, did not answer or asked to wait' },
  no_handler: { retried: false, when: 'no live worker has a handler for the type, and none had one lately' },
  invalid_payload: { retried: false, when: 'the payload does not match the schema of its type' },
  sender_domain_not_verified: {
    retried: false,
    when: '`from` belongs to a domain that the organization has not verified',
  },
  sender_not_registered: { retried: false, when: '`from` is not a sender id of the organization' },
  suppressed: { retried: false, when: 'the recipient is suppressed' },
  outbound_forbidden: { retried: false, when: 'the service may not call this address' },
  unknown_effect: {
    retried: false,
    when: 'it is unknown whether the provider carried out the request, and it must not be done twice',
  },
  worker_lost: { retried: false, when: 'the job crashed two workers and its isolated process' },
  canceled: { retried: false, when: 'the job was canceled' },
  expired: { retried: false, when: 'no attempt started before `expires_at`' },
} as const satisfies Record<string, { retried: boolean; when: string }>;

export type JobErrorCode = keyof typeof JOB_ERROR_CODES;

/** One issue of a request. `path` is where it is, e.g. `payload.to` or `jobs[3].type`; empty for the body itself. */
export interface ErrorDetail {
  path: string;
  message: string;
}

/** The body of every error response. */
export interface ErrorView {
  error: { code: ErrorCode; message: string; details?: ErrorDetail[]; request_id: string };
}

/**
 * An error meant for the caller. `message` and `details` are shown; `cause` is only logged. Any other error that is
 * thrown is answered as `internal`.
 */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly details: readonly ErrorDetail[] | undefined;
  /** Extra response headers, e.g. Allow or Retry-After. */
  readonly headers: Readonly<Record<string, string>> | undefined;

  constructor(
    code: ErrorCode,
    message: string,
    more: { details?: readonly ErrorDetail[]; headers?: Readonly<Record<string, string>>; cause?: unknown } = {},
  ) {
    super(message, { cause: more.cause });
    this.name = 'AppError';
    this.code = code;
    this.details = more.details;
    this.headers = more.headers;
  }

  get status(): number {
    return ERROR_CODES[this.code].status;
  }
}
