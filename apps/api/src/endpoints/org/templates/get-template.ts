import { findTemplate } from '@jobline/db';
import { defineEndpoint } from '../../../endpoint.js';
import { UUID_PATTERN } from '../../../http/fields.js';
import { notFound } from '../../../http/http-errors.js';
import { json } from '../../../http/responses.js';
import { templateView, toTemplateView } from '../../../views/template-view.js';

/** A template of the organization, with its text. */
export const getTemplate = defineEndpoint({
  method: 'get',
  path: '/org/templates/:id',
  summary: 'Read a template',
  auth: 'bearer',
  right: 'read_templates',
  needs: ['db'],
  params: { id: UUID_PATTERN },
  responses: { 200: json('The template.', templateView) },
  async handle({ deps, principal, params }) {
    const row = await findTemplate(deps.db, principal.orgId, params.id);
    if (!row) throw notFound();
    return { status: 200, body: toTemplateView(row) };
  },
});
