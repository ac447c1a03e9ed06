import type { JsonObject } from '@jobline/contracts';
import Joi from 'joi';
import { defineEndpoint } from '../../../endpoint.js';
import { json } from '../../../http/responses.js';
import { previewView, toPreviewView } from '../../../views/template-view.js';
import { preview, sourceFields, type TemplateBody } from './template-body.js';

interface Body extends Omit<TemplateBody, 'name'> {
  data: JsonObject;
}

/** The same for a text that is not stored: what its writer would see if it were. */
export const previewText = defineEndpoint({
  method: 'post',
  path: '/org/templates/preview',
  summary: 'Fill a text with data',
  auth: 'bearer',
  right: 'read_templates',
  limits: { caller: 'preview' },
  body: Joi.object<Body, true>({ ...sourceFields, data: Joi.object().default({}) }),
  responses: { 200: json('The text, filled.', previewView) },
  async handle({ deps, principal, body: { data, ...source }, getSignal }) {
    return { status: 200, body: toPreviewView(await preview(deps, principal.orgId, source, data, getSignal())) };
  },
});
