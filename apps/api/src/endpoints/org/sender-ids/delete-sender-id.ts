import { deleteSenderId as deleteSenderIdRow, recordAudit } from '@jobline/db';
import { defineEndpoint } from '../../../endpoint.js';
import { UUID_PATTERN } from '../../../http/fields.js';
import { notFound } from '../../../http/http-errors.js';
import { empty } from '../../../http/responses.js';

/** Removes a sender id. From now on nothing is sent with it, also not by waiting jobs. */
export const deleteSenderId = defineEndpoint({
  method: 'delete',
  path: '/org/sender-ids/:id',
  summary: 'Remove a sender id',
  auth: 'bearer',
  right: 'senders',
  needs: ['db'],
  limits: { caller: 'manage' },
  params: { id: UUID_PATTERN },
  responses: { 204: empty('The sender id is removed.') },
  async handle({ deps, principal, origin, params }) {
    await deps.db.$transaction(async (tx) => {
      const name = await deleteSenderIdRow(tx, principal.orgId, params.id);
      if (name === null) throw notFound();
      const target = { id: params.id, name };
      await recordAudit(tx, principal.orgId, { ...origin, action: 'sender_id.removed', target });
    });
    return { status: 204 };
  },
});
