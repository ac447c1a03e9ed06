import { AppError, INVITED_ROLES, type InvitedRole, MAX_PENDING_INVITES } from '@jobline/contracts';
import { createInvite as createInviteRow } from '@jobline/db';
import { newId } from '@jobline/runtime';
import Joi from 'joi';
import { makeLinkToken } from '../../../auth/link-token.js';
import { defineEndpoint } from '../../../endpoint.js';
import { json } from '../../../http/replies.js';
import { newInviteView } from '../../../views/team-view.js';
import { email } from '../../fields.js';
import { noOwnerAnyMore } from '../members/refusal.js';

interface Body {
  email: string;
  role: InvitedRole;
}

/** Makes a link by which somebody can join, once and within 72 hours. An earlier one for the address is worth nothing then. */
export const createInvite = defineEndpoint({
  method: 'post',
  path: '/org/invite',
  summary: 'Invite somebody',
  auth: 'bearer',
  right: 'invites',
  limits: { gate: 'invite', account: ({ body }) => body.email },
  body: Joi.object<Body, true>({
    email: email().required(),
    role: Joi.string()
      .valid(...INVITED_ROLES)
      .required(),
  }),
  responses: { 201: json('The link, to be handed to whom it is for.', newInviteView) },
  errors: ['conflict'],
  async handle({ deps, principal, origin, body }) {
    const { token, hash } = makeLinkToken();
    const made = await createInviteRow(deps.db, principal.orgId, { id: newId(), ...body, tokenHash: hash, origin });
    if (made === 'not_owner') throw noOwnerAnyMore();
    if (made === 'already_member') throw alreadyMember();
    if (made === 'too_many') throw tooMany();
    const invite_url = `${deps.settings.publicUrl}/join?token=${token}`;
    return { status: 201, body: { invite_url, email: made.email, expires_at: made.expiresAt.toISOString() } };
  },
});

function alreadyMember(): AppError {
  return new AppError('conflict', 'This address belongs to a member already.', {
    details: [{ path: 'email', message: '"email" is the address of a member' }],
  });
}

function tooMany(): AppError {
  return new AppError(
    'conflict',
    `${MAX_PENDING_INVITES} invites are pending already; revoke some, or wait until they are accepted or expire.`,
  );
}
