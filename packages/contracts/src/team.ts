import type { Role } from './rights.js';

/** How long the link of an invite is valid. */
export const INVITE_VALID_HOURS = 72;
/** How many invites of an organization can be pending at the same time. */
export const MAX_PENDING_INVITES = 1_000;
/** How long the link of a password reset is valid. */
export const RESET_VALID_MINUTES = 60;

/** Roles that an invite can give. Only a member can become an owner. */
export const INVITED_ROLES = ['admin', 'member'] as const satisfies readonly Role[];
export type InvitedRole = (typeof INVITED_ROLES)[number];
