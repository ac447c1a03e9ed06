import type { JsonObject } from '@jobline/contracts';
import Joi from 'joi';
import { defineEndpoint } from '../../../endpoint.js';
import { json } from '../../../http/response-specs.js';
import { previewView, toPreviewView } from '../../../views/template-view.js';
import { preview, sourceFields, type TemplateBody } from './template-body.js';

interface Body extends Omit<TemplateBody, 'name'> {
  data: JsonObject;
}

/** Renders a template that is not stored yet. */
export const previewText = defineEndpoint({
  method: 'post',
  path: '/org/templates/preview',
  summary: 'Preview an unsaved template',
  auth: 'bearer',
  right: 'read_templates',
  needs: ['liquid'],
  limits: { caller: 'preview' },
  body: Joi.object<Body, true>({ ...sourceFields, data: Joi.object().default({}) }),
  responses: { 200: json('The rendered template.', previewView) },
  async handle({ deps, principal, body: { data, ...source }, getSignal }) {
    return { status: 200, body: toPreviewView(await preview(deps, principal.orgId, source, data, getSignal())) };
  },
});
