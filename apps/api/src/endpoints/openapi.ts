import Joi from 'joi';
import { defineEndpoint } from '../endpoint.js';
import { json } from '../http/response-specs.js';
import type { OpenApiDocument } from '../openapi/types.js';

/** The OpenAPI document of this API. */
export const openapi = defineEndpoint({
  method: 'get',
  path: '/openapi.json',
  summary: 'Read this document',
  auth: 'none',
  needs: ['document'],
  responses: { 200: json('An OpenAPI 3.1 document.', Joi.object<OpenApiDocument>()) },
  handle: async ({ deps }) => ({ status: 200, ...deps.document() }),
});
