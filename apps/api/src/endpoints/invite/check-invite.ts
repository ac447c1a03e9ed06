import { defineEndpoint } from '../../endpoint.js';
import { fieldsOf } from '../../http/fields.js';
import { json } from '../../http/response-specs.js';
import { heldInviteView, toHeldInviteView } from '../../views/team-view.js';
import { getPendingInvite, linkToken } from './pending-invite.js';

/** The email address and the organization of an invite, for the page that asks for a password. */
export const checkInvite = defineEndpoint({
  method: 'get',
  path: '/invite',
  summary: 'Read an invite',
  auth: 'none',
  needs: ['db'],
  limits: { auth: 'invite' },
  query: fieldsOf({ token: linkToken() }),
  responses: { 200: json('A pending invite.', heldInviteView) },
  errors: ['invite_not_found', 'invite_expired', 'invite_consumed', 'unavailable'],
  async handle({ deps, query }) {
    return { status: 200, body: toHeldInviteView(await getPendingInvite(deps, query.token)) };
  },
});
