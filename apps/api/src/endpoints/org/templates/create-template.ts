import { addWithinQuota, createTemplate as createTemplateRow, isUniqueViolation, recordAudit } from '@jobline/db';
import { defineEndpoint } from '../../../endpoint.js';
import { quotaFull, taken } from '../../../http/http-errors.js';
import { json } from '../../../http/responses.js';
import { templateView, toTemplateView } from '../../../views/template-view.js';
import { readTemplate, templateBody } from './template-body.js';

/** Stores a template, for jobs to name it. */
export const createTemplate = defineEndpoint({
  method: 'post',
  path: '/org/templates',
  summary: 'Store a template',
  auth: 'bearer',
  right: 'templates',
  limits: { caller: 'manage' },
  body: templateBody,
  responses: { 201: json('The template.', templateView) },
  errors: ['conflict'],
  async handle({ deps, principal, origin, body, getSignal }) {
    const content = await readTemplate(deps, principal.orgId, body, getSignal());
    try {
      const row = await addWithinQuota(deps.db, principal.orgId, 'templates', async (tx) => {
        const target = await createTemplateRow(tx, principal.orgId, content);
        const details = { kind: target.kind };
        await recordAudit(tx, principal.orgId, { ...origin, action: 'template.created', target, details });
        return target;
      });
      if (row === 'full') throw quotaFull('templates');
      return { status: 201, body: toTemplateView(row) };
    } catch (error) {
      throw isUniqueViolation(error) ? taken('name', body.name, error) : error;
    }
  },
});
