import { createTemplate as createTemplateRow, isUniqueViolation } from '@jobline/db';
import { defineEndpoint } from '../../../endpoint.js';
import { taken } from '../../../http/refusals.js';
import { json } from '../../../http/replies.js';
import { templateView, toTemplateView } from '../../../views/template-view.js';
import { readTemplate, templateBody } from './template-body.js';

/** Stores a template, for jobs to name it. */
export const createTemplate = defineEndpoint({
  method: 'post',
  path: '/org/templates',
  summary: 'Store a template',
  auth: 'bearer',
  right: 'templates',
  body: templateBody,
  responses: { 201: json('The template.', templateView) },
  errors: ['conflict'],
  async handle({ deps, principal, body }) {
    const content = await readTemplate(deps, principal.orgId, body);
    try {
      return { status: 201, body: toTemplateView(await createTemplateRow(deps.db, principal.orgId, content)) };
    } catch (error) {
      throw isUniqueViolation(error) ? taken('name', body.name, error) : error;
    }
  },
});
