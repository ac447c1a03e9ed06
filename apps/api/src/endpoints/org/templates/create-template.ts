import { addWithinQuota, createTemplate as createTemplateRow, recordAudit } from '@jobline/db';
import { defineEndpoint } from '../../../endpoint.js';
import { orNameTaken, quotaReached } from '../../../http/errors.js';
import { json } from '../../../http/response-specs.js';
import { templateView, toTemplateView } from '../../../views/template-view.js';
import { readTemplate, templateBody } from './template-body.js';

/** Creates a template that jobs can use by its name. */
export const createTemplate = defineEndpoint({
  method: 'post',
  path: '/org/templates',
  summary: 'Create a template',
  auth: 'bearer',
  right: 'templates',
  needs: ['db', 'liquid'],
  limits: { caller: 'manage' },
  body: templateBody,
  responses: { 201: json('The template.', templateView) },
  errors: ['conflict'],
  async handle({ deps, principal, origin, body, getSignal }) {
    const content = await readTemplate(deps, principal.orgId, body, getSignal());
    const row = await addWithinQuota(deps.db, principal.orgId, 'templates', async (tx) => {
      const target = await createTemplateRow(tx, principal.orgId, content);
      const details = { kind: target.kind };
      await recordAudit(tx, principal.orgId, { ...origin, action: 'template.created', target, details });
      return target;
    }).catch(orNameTaken('name', body.name));
    if (row === 'full') throw quotaReached('templates');
    return { status: 201, body: toTemplateView(row) };
  },
});
