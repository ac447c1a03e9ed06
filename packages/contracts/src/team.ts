import type { Role } from './roles.js';

/** How long the link of an invite is valid. */
export const INVITE_VALID_HOURS = 72;
/** How many invites of an organization can be pending at the same time. */
export const MAX_PENDING_INVITES = 1_000;
/** How long the link of a password reset is valid. */
export const RESET_VALID_MINUTES = 60;

/** Roles that an invite can give. Only a member can become an owner. */
export const INVITED_ROLES = ['admin', 'member'] as const satisfies readonly Role[];
export type InvitedRole = (typeof INVITED_ROLES)[number];

/** A member of an organization. */
export interface MemberView {
  /** The user's id. */
  id: string;
  email: string;
  role: Role;
  joined_at: string;
}

/** An invite that has just been created. */
export interface NewInviteView {
  /** The link for the invited person. It is shown only in this response. */
  invite_url: string;
  email: string;
  expires_at: string;
}

/** A pending invite. */
export interface InviteView {
  id: string;
  email: string;
  role: InvitedRole;
  created_at: string;
  expires_at: string;
  /** The user's id; null once the account is gone. */
  invited_by: string | null;
}

/** An invite as the holder of its link sees it. */
export interface HeldInviteView {
  email: string;
  org_name: string;
  expires_at: string;
}
