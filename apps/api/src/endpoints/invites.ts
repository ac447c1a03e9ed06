import { AppError, INVITED_ROLES, MAX_PENDING_INVITES } from '@jobline/contracts';
import {
  createInvite as createInviteRow,
  type InviteRow,
  listInvites as listInvitesRows,
  revokeInvite as revokeInviteRow,
} from '@jobline/db';
import { newId } from '@jobline/runtime';
import Joi from 'joi';
import type { UserPrincipal } from '../auth/authorize.js';
import { makeInviteMail } from '../auth/invite-mail.js';
import { makeLinkToken } from '../auth/secrets.js';
import type { Deps } from '../deps.js';
import { defineEndpoint } from '../endpoint.js';
import { notFound } from '../http/errors.js';
import { email, fieldsOf, oneOf, uuid } from '../http/fields.js';
import { empty, json } from '../http/response-specs.js';
import { mapTo, timestamp, type ViewOf, view } from '../http/view.js';
import { addressKey } from '../rate-limits/client-address.js';
import { noLongerOwner } from './members.js';
import { defineListEndpoint } from './row-endpoints.js';

const anyEmail = Joi.string().email({ tlds: false });

const newInviteView = view<{ invite_url: string; email: string; expires_at: string }>('NewInvite', {
  invite_url: Joi.string().uri().description('The link for the invited person, shown only in this response.'),
  email: anyEmail,
  expires_at: timestamp(),
});

const inviteView = view<ViewOf<InviteRow>>('Invite', {
  id: uuid(),
  email: anyEmail,
  role: Joi.valid(...INVITED_ROLES),
  created_at: timestamp(),
  expires_at: timestamp(),
  invited_by: uuid().allow(null).description("The user's id; null if the account was deleted."),
});

const toInviteView = mapTo(inviteView);

/**
 * Creates a link with which a person can join once, within 72 hours. If a sender is configured, mails another link to the
 * address. Earlier links for the address become invalid.
 */
export const createInvite = defineEndpoint({
  method: 'post',
  path: '/org/invite',
  summary: 'Invite a person',
  right: 'invites',
  needs: ['db', 'limits', 'settings', 'systemMails'],
  limits: { auth: 'invite', account: ({ body }) => body.email },
  body: fieldsOf({ email: email(), role: oneOf(INVITED_ROLES) }),
  responses: { 201: json('The link, for the invited person.', newInviteView) },
  errors: ['conflict'],
  async handle({ deps, principal, origin, body }) {
    const { token, hash } = makeLinkToken();
    const made = await createInviteRow(deps.db, principal.orgId, { id: newId(), ...body, tokenHash: hash, origin });
    if (made === 'not_owner') throw noLongerOwner();
    if (made === 'already_member') throw alreadyMember();
    if (made === 'too_many') throw tooMany();
    mail(deps, principal, { id: made.id, email: made.email, ip: origin.ip });
    const invite_url = `${deps.settings.publicUrl}/join?token=${token}`;
    return { status: 201, body: { invite_url, email: made.email, expires_at: made.expiresAt.toISOString() } };
  },
});

/** The response does not show whether an email is sent: the caller can deliver the link in any case. */
function mail(
  { db, limits, settings, systemMails }: Deps<'db' | 'limits' | 'settings' | 'systemMails'>,
  { orgId, userId }: UserPrincipal,
  { id, email, ip }: { id: string; email: string; ip: string | null },
): void {
  if (!systemMails.hasSender) return;
  const { publicUrl } = settings;
  const make = () => makeInviteMail({ db, limits, publicUrl }, { id, orgId, email, invitedBy: userId });
  systemMails.post({ kind: 'invite', to: email, source: addressKey(ip ?? undefined), make });
}

function alreadyMember(): AppError {
  return new AppError('conflict', 'This address already belongs to a member.', {
    details: [{ path: 'email', message: '"email" is the address of a member' }],
  });
}

function tooMany(): AppError {
  return new AppError(
    'conflict',
    `Your organization has ${MAX_PENDING_INVITES} pending invites, which is the limit. Revoke some, or wait until they are accepted or expire.`,
  );
}

/** The invites that can still be accepted, newest first. Their links are not stored, so they are not shown. */
export const listInvites = defineListEndpoint({
  path: '/org/invites',
  summary: 'List pending invites',
  right: 'invites',
  description: 'A page of pending invites',
  view: inviteView,
  rows: listInvitesRows,
  toView: toInviteView,
});

/** Revokes a pending invite. Its links become invalid. */
export const revokeInvite = defineEndpoint({
  method: 'delete',
  path: '/org/invites/:id',
  summary: 'Revoke an invite',
  right: 'invites',
  needs: ['db'],
  responses: { 204: empty('The invite is revoked.') },
  async handle({ deps, principal, origin, params }) {
    if (!(await revokeInviteRow(deps.db, principal.orgId, params.id, origin))) throw notFound();
    return { status: 204 };
  },
});
