import { INVITED_ROLES, ROLES } from '@jobline/contracts';
import type { HeldInvite, InviteRow, MemberRow } from '@jobline/db';
import Joi from 'joi';
import { uuid } from '../http/fields.js';
import { timestamp, view } from './view.js';

const email = Joi.string().email({ tlds: false });

export const memberView = view<ReturnType<typeof toMemberView>>('Member', {
  id: uuid().description("The user's id."),
  email,
  role: Joi.valid(...ROLES),
  joined_at: timestamp(),
});

export const newInviteView = view<{ invite_url: string; email: string; expires_at: string }>('NewInvite', {
  invite_url: Joi.string().uri().description('The link for the invited person, shown only in this response.'),
  email,
  expires_at: timestamp(),
});

export const inviteView = view<ReturnType<typeof toInviteView>>('Invite', {
  id: uuid(),
  email,
  role: Joi.valid(...INVITED_ROLES),
  created_at: timestamp(),
  expires_at: timestamp(),
  invited_by: uuid().allow(null).description("The user's id; null if the account was deleted."),
});

export const heldInviteView = view<ReturnType<typeof toHeldInviteView>>('HeldInvite', {
  email,
  org_name: Joi.string(),
  expires_at: timestamp(),
});

export function toMemberView({ userId, email: address, role, joinedAt }: MemberRow) {
  return { id: userId, email: address, role, joined_at: joinedAt.toISOString() };
}

export function toInviteView(invite: InviteRow) {
  return {
    id: invite.id,
    email: invite.email,
    role: invite.role,
    created_at: invite.createdAt.toISOString(),
    expires_at: invite.expiresAt.toISOString(),
    invited_by: invite.invitedBy,
  };
}

export function toHeldInviteView({ email: address, orgName, expiresAt }: HeldInvite) {
  return { email: address, org_name: orgName, expires_at: expiresAt.toISOString() };
}
