import { ERROR_CODES, type ErrorCode } from '@jobline/contracts';
import { hasRight } from '../auth/roles.js';
import type { Endpoint } from '../endpoint.js';
import type { ReplyHeader } from '../http/responses.js';
import { errorView } from '../views/error-view.js';
import type { Schemas } from './json-schema.js';
import { headersOf } from './responses.js';
import type { Response } from './types.js';

/** The headers that come with an error. */
const HEADERS_OF: Partial<Record<ErrorCode, readonly ReplyHeader[]>> = {
  unauthenticated: ['WWW-Authenticate'],
  invalid_credentials: ['WWW-Authenticate'],
  rate_limited: ['Retry-After', 'RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'],
  unavailable: ['Retry-After'],
};

/** Status → response, for all errors that an endpoint can answer with; `keep` makes each a component of its own. */
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

/** In the order of the table of codes: those that the endpoint names, and those that follow from what it takes. */
function errorsOf({ auth, right, params, body, raw, limits, errors = [] }: Endpoint): ErrorCode[] {
  const codes = new Set<ErrorCode>(['validation_failed', 'internal', ...errors]);
  if (auth !== 'none') codes.add('unauthenticated').add('rate_limited').add('unavailable');
  if (right && !hasRight('member', right)) codes.add('forbidden');
  if (limits) codes.add('rate_limited');
  if (params) codes.add('not_found');
  if (body) codes.add('invalid_json').add('payload_too_large').add('unsupported_media_type');
  if (raw) codes.add('payload_too_large');
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
  return { error: { code, message: `What is wrong: ${ERROR_CODES[code].when}.`, ...details, request_id: 'aZ3-x' } };
}
