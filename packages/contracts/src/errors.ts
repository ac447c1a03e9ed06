/**
 * Every error that the API can respond with, and every reason for which a job can fail. The API document and docs/jobs.md
 * print these two tables; a test compares their texts with those here.
 */

/** API error code → HTTP status and the cases in which it is used. */
export const ERROR_CODES = {
  invalid_json: { status: 400, when: 'the body is not JSON, or a required body is empty' },
  validation_failed: {
    status: 400,
    when: 'a body, query or path parameter is invalid; `details` lists the issues',
  },
  unauthenticated: { status: 401, when: 'the credential is missing, invalid, expired or revoked' },
  invalid_credentials: { status: 401, when: 'the email or password is wrong' },
  forbidden: {
    status: 403,
    when: 'the role, or the scopes or job types of the API key, do not allow the request, registration is closed, or the account belongs to no organization',
  },
  cannot_remove_self: { status: 403, when: 'owners cannot remove themselves; another owner can remove them' },
  last_owner: { status: 403, when: 'the last owner cannot be removed and cannot get another role' },
  sender_domain_not_verified: {
    status: 403,
    when: 'the domain of `from` is not verified by the organization',
  },
  sender_not_registered: { status: 403, when: '`from` is not a registered sender id of the organization' },
  suppressed: {
    status: 403,
    when: 'the recipient is suppressed after a bounce or a complaint; see `/org/suppressions`',
  },
  not_found: { status: 404, when: 'the path or resource does not exist, or belongs to another organization' },
  invite_not_found: { status: 404, when: 'the invite is unknown, revoked or replaced by a newer one' },
  method_not_allowed: { status: 405, when: 'the path does not support this method; see `Allow`' },
  conflict: {
    status: 409,
    when: 'the id, name or email is in use, a quota is reached, the status does not allow the request, another job needs the job or must be retried first, the job is redacted, or a request with the same `Idempotency-Key` takes too long',
  },
  invite_expired: { status: 410, when: 'the invite is older than 72 hours' },
  invite_consumed: { status: 410, when: 'the invite was already accepted' },
  payload_too_large: { status: 413, when: 'the body is larger than `MAX_BODY_BYTES`, or a file than `MAX_FILE_BYTES`' },
  unsupported_media_type: { status: 415, when: 'the body is not `application/json`' },
  idempotency_key_reused: {
    status: 422,
    when: 'the `Idempotency-Key` was used with different content or another endpoint',
  },
  rate_limited: {
    status: 429,
    when: 'too many requests, open event streams, pending jobs or stored bytes; see `Retry-After`',
  },
  internal: { status: 500, when: 'any other error; the log of the API shows the cause with the request id' },
  provider_error: { status: 502, when: 'the email or SMS provider rejected a direct send or did not answer' },
  unknown_effect: {
    status: 502,
    when: 'it is unknown whether an earlier direct send with this `Idempotency-Key` sent its message. Jobline does not send the message again',
  },
  unavailable: {
    status: 503,
    when: 'Postgres cannot be reached or takes more than 10 s, the artifact store does not answer, the process has no memory or capacity left, or the proxy reaches no API; see `Retry-After`',
  },
} as const satisfies Record<string, { status: number; when: string }>;

export type ErrorCode = keyof typeof ERROR_CODES;

/** Job error code → the cases in which a job fails with it, and whether its remaining retries are used. */
export const JOB_ERROR_CODES = {
  handler_error: { retried: true, when: 'the handler threw an error' },
  timeout: { retried: true, when: 'the handler exceeded its time limit' },
  provider_rejected: { retried: true, when: 'the receiver or provider rejected the request' },
  provider_unavailable: { retried: true, when: 'the receiver or provider failed, did not answer or asked to wait' },
  no_handler: { retried: false, when: 'no worker ever had a handler for the type, or none within `NO_HANDLER_AFTER`' },
  dependency_failed: {
    retried: false,
    when: 'a job for which it waited failed, or its payment was not made. A retry of that job makes this one pending again',
  },
  invalid_payload: { retried: false, when: 'the payload does not match the schema of its type' },
  sender_domain_not_verified: {
    retried: false,
    when: 'the domain of `from` is not verified by the organization',
  },
  sender_not_registered: { retried: false, when: '`from` is not a registered sender id of the organization' },
  suppressed: { retried: false, when: 'the recipient is suppressed after a bounce or a complaint' },
  outbound_forbidden: { retried: false, when: 'the service may not call this address' },
  unknown_effect: {
    retried: false,
    when: 'it is unknown whether the provider carried out the request, and Jobline does not repeat it by itself',
  },
  worker_lost: { retried: false, when: 'the isolated process of the job died, or the crash count of the job is 5' },
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
