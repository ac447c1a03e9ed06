import { IDEMPOTENCY_KEY_PATTERN, type Right, ROLES, rolesWith } from '@jobline/contracts';
import Joi, { type Schema } from 'joi';

import type { Auth, Endpoint } from '../endpoint.js';
import { IDEMPOTENCY_KEY, LAST_EVENT_ID } from '../http/validate.js';
import { limitHeaders, limitsOf } from '../rate-limits/endpoint-limits.js';
import { EXAMPLES } from './examples.js';
import type { Schemas } from './json-schema.js';
import { errorResponses, responseOf } from './responses.js';
import type { JsonSchema, Operation, Response } from './types.js';

/** The parts of the API, by the beginning of their paths. */
export const TAGS = [
  {
    name: 'jobs',
    paths: /^\/(jobs|job-types|stats)(\/|$)/,
    description: 'Submit jobs, follow them, and get their results.',
  },
  {
    name: 'files',
    paths: /^\/(files|links)(\/|$)/,
    description: 'Upload files for jobs, and fetch files by links.',
  },
  { name: 'schedules', paths: /^\/schedules(\/|$)/, description: 'Submit jobs again and again, by a plan.' },
  {
    name: 'messages',
    paths: /^\/(chat|email|sms|webhooks)\//,
    description: 'Send messages directly, read sent messages, and receive callbacks of providers.',
  },
  { name: 'accounts', paths: /^\/(auth|invite)(\/|$)/, description: 'Registration, sessions and invites.' },
  {
    name: 'organization',
    paths: /^\/org\//,
    description: 'Members, keys, senders, templates and settings of an organization.',
  },
  { name: 'search', paths: /^\/search$/, description: 'Find jobs, messages and what an organization has set up.' },
  {
    name: 'service',
    paths: /^\/(healthz|readyz|openapi\.json)$/,
    description: 'Health of the service, and this document.',
  },
] as const;

/** The scope of an API key is in the list of its scheme. */
function securityOf(auth: Auth, otherScopes: readonly string[]): object[] {
  if (auth === 'none') return [];
  const scopes = auth === 'bearer' ? [] : [auth, ...otherScopes];
  return [{ bearer: [] }, ...scopes.map((scope) => ({ api_key: [scope] }))];
}

export function operationOf(
  name: string,
  endpoint: Endpoint,
  schemas: Schemas,
  keep: (name: string, response: Response) => Response,
): Operation {
  const {
    path,
    summary,
    auth,
    otherScopes = [],
    right,
    body,
    isBodyOptional = false,
    raw,
    upload,
    responses,
  } = endpoint;
  const parameters = [
    ...pathParameters(endpoint),
    ...queryParameters(endpoint, schemas),
    ...headerParameters(endpoint),
  ];
  return {
    operationId: name,
    tags: [tagOf(path)],
    summary,
    description: whoMay(auth, right, otherScopes),
    security: securityOf(auth, otherScopes),
    ...(parameters.length > 0 && { parameters }),
    ...(body && {
      requestBody: { required: !isBodyOptional, content: { 'application/json': jsonBody(name, body, schemas) } },
    }),
    ...(upload && { requestBody: { required: true, content: { '*/*': {} } } }),
    ...(raw && endpoint.method !== 'get' && { requestBody: { required: true, content: { '*/*': {} } } }),
    responses: {
      ...Object.fromEntries(
        Object.entries(responses).map(([status, reply]) => [
          status,
          responseOf(reply, schemas, limitHeaders(limitsOf(endpoint))),
        ]),
      ),
      ...errorResponses(endpoint, schemas, keep),
    },
  };
}

function tagOf(path: string): string {
  const tag = TAGS.find(({ paths }) => paths.test(path));
  if (!tag) throw new Error(`${path}: no tag matches this path; add one to openapi/operation.ts`);
  return tag.name;
}

function whoMay(auth: Auth, right: Right | undefined, otherScopes: readonly string[]): string {
  if (auth === 'none') return 'No credentials needed.';
  const roles =
    right && rolesWith(right).length < ROLES.length ? `the role ${rolesWith(right).join(' or ')}` : 'any role';
  const scopes = [auth, ...otherScopes].map((scope) => `\`${scope}\``).join(' or ');
  return `Requires a session with ${roles}${auth === 'bearer' ? '' : `, or an API key with the scope ${scopes}`}.`;
}

function pathParameters({ params }: Endpoint): object[] {
  return Object.entries<RegExp>(params ?? {}).map(([name, pattern]) => ({
    name,
    in: 'path',
    required: true,
    schema: textLike(pattern),
  }));
}

function queryParameters({ query }: Endpoint, schemas: Schemas): object[] {
  if (!query) return [];
  const { properties = {}, required } = schemas.input(query);
  return Object.entries(properties).map(([name, { description, ...schema }]) => ({
    name,
    in: 'query',
    required: Array.isArray(required) && required.includes(name),
    ...(description !== undefined && { description }),
    schema,
  }));
}

function headerParameters({ idempotent, resumable }: Endpoint): object[] {
  const parameters: object[] = [];
  if (idempotent) {
    const description = 'Requests with the same key are carried out once.';
    parameters.push({ name: IDEMPOTENCY_KEY, in: 'header', description, schema: textLike(IDEMPOTENCY_KEY_PATTERN) });
  }
  if (resumable) {
    const description = 'The `id` of the last received event: the stream resumes after it.';
    parameters.push({ name: LAST_EVENT_ID, in: 'header', description, schema: { type: 'string' } });
  }
  return parameters;
}

function textLike(pattern: RegExp): JsonSchema {
  return { type: 'string', pattern: pattern.source };
}

function jsonBody(name: string, body: NonNullable<Endpoint['body']>, schemas: Schemas): object {
  const examples = EXAMPLES[name];
  return { schema: bodySchema(body, schemas), ...(examples && { examples }) };
}

/** A custom body matches one of its schemas. */
function bodySchema(body: NonNullable<Endpoint['body']>, schemas: Schemas): JsonSchema {
  const [first, ...others]: Schema[] = Joi.isSchema(body) ? [body] : [...body.schemas];
  if (!first) throw new Error('a custom body needs at least one schema');
  if (others.length === 0) return schemas.input(first);
  return { oneOf: [first, ...others].map((schema) => schemas.input(schema)) };
}
