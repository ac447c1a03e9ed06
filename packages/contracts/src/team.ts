import type { Role } from './roles.js';

/** So long an invite's link is valid. */
export const INVITE_VALID_HOURS = 72;
/** So many invites of an organization can be open at once. */
export const MAX_PENDING_INVITES = 1_000;
/** So long the link of a reset is valid. */
export const RESET_VALID_MINUTES = 60;

/** What somebody can be invited as; an owner is made of a member. */
export const INVITED_ROLES = ['admin', 'member'] as const satisfies readonly Role[];
export type InvitedRole = (typeof INVITED_ROLES)[number];

/** Somebody who belongs to an organization. */
export interface MemberView {
  /** The user's id. */
  id: string;
  email: string;
  role: Role;
  joined_at: string;
}

/** An invite that has just been made. */
export interface NewInviteView {
  /** The link to hand to whom it is for. It is shown this once. */
  invite_url: string;
  email: string;
  expires_at: string;
}

/** An invite that nobody has accepted yet. */
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
