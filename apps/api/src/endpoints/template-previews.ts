import type { JsonObject, OrgId } from '@jobline/contracts';
import { findTemplate } from '@jobline/db';
import { payloadShapeIssues } from '@jobline/engine';
import { type FilledTemplate, fillTemplate, type TemplateSource } from '@jobline/messaging';
import Joi from 'joi';
import type { Deps } from '../deps.js';
import { defineEndpoint } from '../endpoint.js';
import { invalidRequest, notFound } from '../http/errors.js';
import { json } from '../http/response-specs.js';
import { text, view } from '../http/view.js';

import { orBadRequest, sourceFields, type TemplateBody } from './templates.js';

const previewView = view<ReturnType<typeof toPreviewView>>('Preview', {
  subject: text().optional(),
  body: text(),
  missing: Joi.array().items(text()).description('The variables that the data lacks. Each is rendered empty.'),
});

function toPreviewView({ subject, body, missing }: FilledTemplate) {
  return { ...(subject !== null && { subject }), body, missing };
}

/** Renders a stored template as a message would have it, and lists the variables that the data lacks. */
export const previewTemplate = defineEndpoint({
  method: 'post',
  path: '/org/templates/:id/preview',
  summary: 'Preview a template',
  right: 'read_templates',
  needs: ['db', 'liquid'],
  limits: { caller: 'preview' },
  body: Joi.object<{ data: JsonObject }, true>({ data: Joi.object().default({}) }),
  responses: { 200: json('The rendered template.', previewView) },
  async handle({ deps, principal, params, body, getSignal }) {
    const row = await findTemplate(deps.db, principal.orgId, params.id);
    if (!row) throw notFound();
    const filled = await preview(deps, principal.orgId, row, body.data, getSignal());
    return { status: 200, body: toPreviewView(filled) };
  },
});

interface PreviewText extends Omit<TemplateBody, 'name' | 'sample'> {
  data: JsonObject;
}

/** Renders a template that is not stored yet. */
export const previewText = defineEndpoint({
  method: 'post',
  path: '/org/templates/preview',
  summary: 'Preview an unsaved template',
  right: 'read_templates',
  needs: ['liquid'],
  limits: { caller: 'preview' },
  body: Joi.object<PreviewText, true>({ ...sourceFields, data: Joi.object().default({}) }),
  responses: { 200: json('The rendered template.', previewView) },
  async handle({ deps, principal, body: { data, ...source }, getSignal }) {
    return { status: 200, body: toPreviewView(await preview(deps, principal.orgId, source, data, getSignal())) };
  },
});

/** Renders a template as a message would have it. Throws a 400 for a template that cannot be rendered. */
export async function preview(
  deps: Deps<'liquid'>,
  orgId: OrgId,
  source: TemplateSource,
  data: Parameters<typeof fillTemplate>[3],
  signal: AbortSignal,
): Promise<FilledTemplate> {
  const details = payloadShapeIssues('data', data);
  if (details.length > 0) throw invalidRequest(details, 'The data cannot be stored; see details.');
  return orBadRequest(fillTemplate(deps.liquid, orgId, source, data, signal));
}
