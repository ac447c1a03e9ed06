import { revokeInvite as revokeInviteRow } from '@jobline/db';
import { defineEndpoint } from '../../../endpoint.js';
import { notFound } from '../../../http/errors.js';
import { UUID_PATTERN } from '../../../http/fields.js';
import { empty } from '../../../http/response-specs.js';

/** Revokes a pending invite. Its links become invalid. */
export const revokeInvite = defineEndpoint({
  method: 'delete',
  path: '/org/invites/:id',
  summary: 'Revoke an invite',
  auth: 'bearer',
  right: 'invites',
  needs: ['db'],
  limits: { caller: 'manage' },
  params: { id: UUID_PATTERN },
  responses: { 204: empty('The invite is revoked.') },
  async handle({ deps, principal, origin, params }) {
    if (!(await revokeInviteRow(deps.db, principal.orgId, params.id, origin))) throw notFound();
    return { status: 204 };
  },
});
