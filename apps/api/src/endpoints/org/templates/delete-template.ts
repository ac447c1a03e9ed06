import { deleteTemplate as deleteTemplateRow, recordAudit } from '@jobline/db';
import { defineEndpoint } from '../../../endpoint.js';
import { UUID_PATTERN } from '../../../http/fields.js';
import { notFound } from '../../../http/http-errors.js';
import { empty } from '../../../http/responses.js';

/** Removes a template. Jobs that use it fail from now on. */
export const deleteTemplate = defineEndpoint({
  method: 'delete',
  path: '/org/templates/:id',
  summary: 'Remove a template',
  auth: 'bearer',
  right: 'templates',
  needs: ['db'],
  limits: { caller: 'manage' },
  params: { id: UUID_PATTERN },
  responses: { 204: empty('The template is removed.') },
  async handle({ deps, principal, origin, params }) {
    await deps.db.$transaction(async (tx) => {
      const name = await deleteTemplateRow(tx, principal.orgId, params.id);
      if (name === null) throw notFound();
      const target = { id: params.id, name };
      await recordAudit(tx, principal.orgId, { ...origin, action: 'template.removed', target });
    });
    return { status: 204 };
  },
});
