import { AppError, INVITED_ROLES, type InvitedRole, MAX_PENDING_INVITES } from '@jobline/contracts';
import { createInvite as createInviteRow } from '@jobline/db';
import { newId } from '@jobline/runtime';
import Joi from 'joi';
import { makeInviteMail } from '../../../auth/invite-mail.js';
import { makeLinkToken } from '../../../auth/link-token.js';
import type { UserPrincipal } from '../../../auth/principal.js';
import type { EndpointDeps } from '../../../deps.js';
import { defineEndpoint } from '../../../endpoint.js';
import { email } from '../../../http/fields.js';
import { json } from '../../../http/responses.js';
import { addressKey } from '../../../limits/client-address.js';
import { newInviteView } from '../../../views/team-view.js';
import { noOwnerAnyMore } from '../members/member-errors.js';

interface Body {
  email: string;
  role: InvitedRole;
}

/**
 * Makes a link by which somebody can join, once and within 72 hours, and mails another one to the address where there is a
 * sender for it. Earlier ones for the address are worth nothing then.
 */
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
    mail(deps, principal, { id: made.id, email: made.email, ip: origin.ip });
    const invite_url = `${deps.settings.publicUrl}/join?token=${token}`;
    return { status: 201, body: { invite_url, email: made.email, expires_at: made.expiresAt.toISOString() } };
  },
});

/** Whether it is mailed shows nowhere: its caller has a link to deliver in any case. */
function mail(
  { db, limits, settings, systemMails }: EndpointDeps,
  { orgId, userId }: UserPrincipal,
  { id, email, ip }: { id: string; email: string; ip: string | null },
): void {
  if (!systemMails.hasSender) return;
  const { publicUrl } = settings;
  const make = () => makeInviteMail({ db, limits, publicUrl }, { id, orgId, email, invitedBy: userId });
  systemMails.post({ kind: 'invite', to: email, source: addressKey(ip ?? undefined), make });
}

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
