import { recordAudit, replaceTemplate as replaceTemplateRow } from '@jobline/db';
import { defineEndpoint } from '../../../endpoint.js';
import { notFound, orNameTaken } from '../../../http/errors.js';
import { UUID_PATTERN } from '../../../http/fields.js';
import { json } from '../../../http/response-specs.js';
import { templateView, toTemplateView } from '../../../views/template-view.js';
import { readTemplate, templateBody } from './template-body.js';

/** Replaces a template. Waiting jobs use the template as it is when they run. */
export const replaceTemplate = defineEndpoint({
  method: 'put',
  path: '/org/templates/:id',
  summary: 'Replace a template',
  auth: 'bearer',
  right: 'templates',
  needs: ['db', 'liquid'],
  limits: { caller: 'manage' },
  params: { id: UUID_PATTERN },
  body: templateBody,
  responses: { 200: json('The template.', templateView) },
  errors: ['conflict'],
  async handle({ deps, principal, origin, params, body, getSignal }) {
    const content = await readTemplate(deps, principal.orgId, body, getSignal());
    const row = await deps.db
      .$transaction(async (tx) => {
        const target = await replaceTemplateRow(tx, principal.orgId, params.id, content);
        if (!target) throw notFound();
        const details = { kind: target.kind };
        await recordAudit(tx, principal.orgId, { ...origin, action: 'template.replaced', target, details });
        return target;
      })
      .catch(orNameTaken('name', body.name));
    return { status: 200, body: toTemplateView(row) };
  },
});
