import { deleteSuppression as deleteSuppressionRow, recordAudit } from '@jobline/db';
import { defineEndpoint } from '../../../endpoint.js';
import { UUID_PATTERN } from '../../../http/fields.js';
import { notFound } from '../../../http/http-errors.js';
import { empty } from '../../../http/responses.js';

/** Removes a suppression. The address gets messages again until it bounces or complains again. */
export const deleteSuppression = defineEndpoint({
  method: 'delete',
  path: '/org/suppressions/:id',
  summary: 'Remove a suppression',
  auth: 'bearer',
  right: 'suppressions',
  needs: ['db'],
  limits: { caller: 'manage' },
  params: { id: UUID_PATTERN },
  responses: { 204: empty('The address gets messages again.') },
  async handle({ deps, principal, origin, params }) {
    await deps.db.$transaction(async (tx) => {
      const name = await deleteSuppressionRow(tx, principal.orgId, params.id);
      if (name === null) throw notFound();
      const target = { id: params.id, name };
      await recordAudit(tx, principal.orgId, { ...origin, action: 'suppression.lifted', target });
    });
    return { status: 204 };
  },
});
