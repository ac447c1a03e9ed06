import { deleteDomain as deleteDomainRow, recordAudit } from '@jobline/db';
import { defineEndpoint } from '../../../endpoint.js';
import { UUID_PATTERN } from '../../../http/fields.js';
import { notFound } from '../../../http/http-errors.js';
import { empty } from '../../../http/responses.js';

/** Removes a domain. From now on nothing is sent from it, also not by waiting jobs. */
export const deleteDomain = defineEndpoint({
  method: 'delete',
  path: '/org/domains/:id',
  summary: 'Remove a domain',
  auth: 'bearer',
  right: 'senders',
  needs: ['db'],
  limits: { caller: 'manage' },
  params: { id: UUID_PATTERN },
  responses: { 204: empty('The domain is removed.') },
  async handle({ deps, principal, origin, params }) {
    await deps.db.$transaction(async (tx) => {
      const name = await deleteDomainRow(tx, principal.orgId, params.id);
      if (name === null) throw notFound();
      const target = { id: params.id, name };
      await recordAudit(tx, principal.orgId, { ...origin, action: 'domain.removed', target });
    });
    return { status: 204 };
  },
});
