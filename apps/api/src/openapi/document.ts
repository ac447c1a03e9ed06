import { ERROR_CODES } from '@jobline/contracts';
import type { Catalogue } from '@jobline/handlers';
import type { Endpoint } from '../endpoint.js';
import { withPayloads } from './job-types.js';
import { createSchemas } from './json-schema.js';
import { operationOf, TAGS } from './operation.js';
import type { OpenApiDocument, Response } from './types.js';

export type { OpenApiDocument } from './types.js';

/** The version of the API, which is the version of the root package. */
const VERSION = '0.1.0';

const SECURITY_SCHEMES = {
  bearer: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description: 'A session token from registration or login.',
  },
  api_key: {
    type: 'apiKey',
    in: 'header',
    name: 'X-API-Key',
    description: 'An API key for programs, created at `/org/api-keys`.',
  },
};

/** All errors as a table in Markdown, because each response lists only its own. */
const ERROR_TABLE = [
  '| code | status | when |',
  '|---|---|---|',
  ...Object.entries(ERROR_CODES).map(([code, { status, when }]) => `| \`${code}\` | ${status} | ${when} |`),
].join('\n');

/**
 * Describes the API from the list of endpoints that the router mounts, so that the document matches the API. The same list
 * always gives the same document. HEAD is left out: every path with GET supports it.
 */
export function createDocument(
  endpoints: Readonly<Record<string, Endpoint>>,
  { catalogue, publicUrl }: { catalogue: Catalogue; publicUrl: string },
): OpenApiDocument {
  const schemas = createSchemas();
  const responses = new Map<string, Response>();
  const keep = (name: string, response: Response): Response => {
    responses.set(name, response);
    return { $ref: `#/components/responses/${name}` };
  };
  const paths: OpenApiDocument['paths'] = {};
  for (const [name, endpoint] of Object.entries(endpoints)) {
    const path = endpoint.path.replace(/:(\w+)/g, '{$1}');
    paths[path] = { ...paths[path], [endpoint.method]: operationOf(name, endpoint, schemas, keep) };
  }
  return {
    openapi: '3.1.1',
    info: {
      title: 'Jobline',
      version: VERSION,
      summary: 'A self-hosted, multi-tenant background job service.',
      description:
        'Callers submit jobs over HTTP, workers run them, every attempt is logged, and callers read status, logs and ' +
        'results. Field names are in snake_case. Times are in ISO 8601, in UTC with milliseconds. An error has one of these ' +
        `codes:\n\n${ERROR_TABLE}`,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: publicUrl }],
    tags: TAGS.map(({ name, description }) => ({ name, description })),
    paths,
    components: {
      schemas: withPayloads(schemas, catalogue),
      responses: Object.fromEntries(responses),
      securitySchemes: SECURITY_SCHEMES,
    },
  };
}
