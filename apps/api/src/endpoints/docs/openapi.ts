import Joi from 'joi';
import { defineEndpoint } from '../../endpoint.js';
import { json } from '../../http/responses.js';
import type { OpenApiDocument } from '../../openapi/types.js';

/** The API's description of itself. */
export const openapi = defineEndpoint({
  method: 'get',
  path: '/openapi.json',
  summary: 'Read this document',
  auth: 'none',
  responses: { 200: json('An OpenAPI 3.1 document.', Joi.object<OpenApiDocument>()) },
  handle: async ({ deps }) => ({ status: 200, body: deps.document() }),
});
