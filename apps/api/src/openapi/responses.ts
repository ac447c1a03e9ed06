import { ERROR_CODES, type ErrorCode, hasRight } from '@jobline/contracts';
import type { Endpoint } from '../endpoint.js';
import { errorView } from '../http/answer-errors.js';
import { HEADERS, type HeaderName, type ResponseHeader, type ResponseSpec } from '../http/response-specs.js';
import type { Schemas } from './json-schema.js';
import type { Header, Response } from './types.js';

/** `more`: headers that follow from other fields of the endpoint. */
export function responseOf(reply: ResponseSpec, schemas: Schemas, more: readonly ResponseHeader[] = []): Response {
  const { description } = reply;
  const headers = headersOf([...reply.headers, ...more]);
  switch (reply.kind) {
    case 'json':
      return { description, headers, content: { 'application/json': { schema: schemas.output(reply.schema) } } };
    case 'stream':
      return { description, headers, content: { [reply.mediaType]: {} } };
    case 'empty':
      return { description, headers };
  }
}

/** The headers of a response. Every response has the request id. */
export function headersOf(names: readonly ResponseHeader[]): Record<string, Header> {
  const all: ResponseHeader[] = ['X-Request-Id', ...names];
  return Object.fromEntries(
    all.map((header) => {
      // The cast: without the question mark it is a HeaderName.
      const name = header.replace('?', '') as HeaderName;
      return [name, { description: HEADERS[name], required: name === header, schema: { type: 'string' } }];
    }),
  );
}

/** The headers of error responses. */
const HEADERS_OF: Partial<Record<ErrorCode, readonly ResponseHeader[]>> = {
  unauthenticated: ['WWW-Authenticate'],
  invalid_credentials: ['WWW-Authenticate'],
  method_not_allowed: ['Allow'],
  rate_limited: ['Retry-After', 'RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'],
  unavailable: ['Retry-After'],
};

/** A message for each code, as callers get it. */
const EXAMPLE_MESSAGES: Record<ErrorCode, string> = {
  invalid_json: 'The body is not valid JSON.',
  validation_failed: 'The request is invalid; see details.',
  unauthenticated: 'Send a valid session token or, where it is accepted, an API key.',
  invalid_credentials: 'The email address or the password is wrong.',
  forbidden: 'The role member does not allow this.',
  cannot_remove_self: 'You cannot remove yourself; ask another owner to do it.',
  last_owner: 'An organization must have at least one owner. Promote another member first.',
  sender_domain_not_verified: 'The domain of the sender is not verified for this organization; see details.',
  sender_not_registered: 'The sender is not a registered and approved sender id of this organization; see details.',
  suppressed: 'The recipient is suppressed; see /org/suppressions.',
  not_found: 'Not found.',
  invite_not_found: 'This invite is invalid, or it was revoked or replaced; ask for a new one.',
  method_not_allowed: 'Method not allowed; use GET, HEAD.',
  conflict: 'name "order_shipped" already exists.',
  invite_expired: 'This invite has expired; ask for a new one.',
  invite_consumed: 'This invite has already been accepted; log in instead.',
  payload_too_large: 'The body may have at most 1048576 bytes.',
  unsupported_media_type: 'Send the body as Content-Type: application/json, in UTF-8 and not compressed.',
  idempotency_key_reused: 'This Idempotency-Key was sent before with different content.',
  rate_limited: 'Rate limit exceeded: your reads. Try again in 10 s.',
  internal: 'Internal error; the log has its cause under this request id.',
  provider_error: 'The provider did not accept the message.',
  unknown_effect: 'An earlier request with this Idempotency-Key was interrupted; it is unknown whether it was sent.',
  unavailable: 'The service cannot reach its database; try again in a few seconds.',
};

/** Status → response, for all errors of an endpoint. `keep` makes each response a component of the document. */
export function errorResponses(
  endpoint: Endpoint,
  schemas: Schemas,
  keep: (name: string, response: Response) => Response,
): Record<string, Response> {
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of errorsOf(endpoint)) {
    const { status } = ERROR_CODES[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  return Object.fromEntries(
    [...byStatus].map(([status, codes]) => [status, keep(codes.join('-or-'), errorResponse(codes, schemas))]),
  );
}

/** The codes that the endpoint declares and those that follow from its other fields, in the order of the table of codes. */
function errorsOf({ auth, right, params, body, raw, upload, limits, errors = [] }: Endpoint): ErrorCode[] {
  const codes = new Set<ErrorCode>(['validation_failed', 'internal', ...errors]);
  if (auth !== 'none') codes.add('unauthenticated').add('rate_limited').add('unavailable');
  if (auth !== 'none' && (auth !== 'bearer' || (right && !hasRight('member', right)))) codes.add('forbidden');
  if (limits) codes.add('rate_limited');
  if (params) codes.add('not_found');
  if (body) codes.add('invalid_json').add('payload_too_large').add('unsupported_media_type');
  if (raw || upload) codes.add('payload_too_large');
  if (upload) codes.add('invalid_json').add('unsupported_media_type');
  // The cast: the keys of the table are what ErrorCode is made of.
  return (Object.keys(ERROR_CODES) as ErrorCode[]).filter((code) => codes.has(code));
}

function errorResponse(codes: readonly ErrorCode[], schemas: Schemas): Response {
  return {
    description: codes.map((code) => `\`${code}\`: ${ERROR_CODES[code].when}.`).join(' '),
    headers: headersOf(codes.flatMap((code) => HEADERS_OF[code] ?? [])),
    content: {
      'application/json': {
        schema: schemas.output(errorView),
        examples: Object.fromEntries(codes.map((code) => [code, { value: exampleOf(code) }])),
      },
    },
  };
}

function exampleOf(code: ErrorCode): object {
  const details =
    code === 'validation_failed' ? { details: [{ path: 'limit', message: '"limit" must be a number' }] } : {};
  return { error: { code, message: EXAMPLE_MESSAGES[code], ...details, request_id: 'aZ3-x' } };
}
