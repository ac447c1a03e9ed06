import type { JsonObject } from '@jobline/contracts';
import { findTemplate } from '@jobline/db';
import Joi from 'joi';
import { defineEndpoint } from '../../../endpoint.js';
import { notFound } from '../../../http/errors.js';
import { UUID_PATTERN } from '../../../http/fields.js';
import { json } from '../../../http/response-specs.js';
import { previewView, toPreviewView } from '../../../views/template-view.js';
import { preview } from './template-body.js';

interface Body {
  data: JsonObject;
}

/** Renders a stored template as a message would have it, and lists the variables that the data lacks. */
export const previewTemplate = defineEndpoint({
  method: 'post',
  path: '/org/templates/:id/preview',
  summary: 'Preview a template',
  auth: 'bearer',
  right: 'read_templates',
  needs: ['db', 'liquid'],
  limits: { caller: 'preview' },
  params: { id: UUID_PATTERN },
  body: Joi.object<Body, true>({ data: Joi.object().default({}) }),
  responses: { 200: json('The rendered template.', previewView) },
  async handle({ deps, principal, params, body, getSignal }) {
    const row = await findTemplate(deps.db, principal.orgId, params.id);
    if (!row) throw notFound();
    const filled = await preview(deps, principal.orgId, row, body.data, getSignal());
    return { status: 200, body: toPreviewView(filled) };
  },
});
