import Joi from 'joi';
import { defineEndpoint } from '../../endpoint.js';
import { json } from '../../http/responses.js';
import { heldInviteView, toHeldInviteView } from '../../views/team-view.js';
import { getPendingInvite, linkToken } from './pending-invite.js';

interface Query {
  token: string;
}

/** Whom an invite is for and where it leads, before a password is asked for. */
export const checkInvite = defineEndpoint({
  method: 'get',
  path: '/invite',
  summary: 'Look at an invite',
  auth: 'none',
  limits: { gate: 'invite' },
  query: Joi.object<Query, true>({ token: linkToken().required() }),
  responses: { 200: json('The invite, which can be accepted.', heldInviteView) },
  errors: ['invite_not_found', 'invite_expired', 'invite_consumed', 'unavailable'],
  async handle({ deps, query }) {
    return { status: 200, body: toHeldInviteView(await getPendingInvite(deps, query.token)) };
  },
});
