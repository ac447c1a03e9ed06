import { AppError, assertNever } from '@jobline/contracts';
import { findInvite, type HeldInvite, type InviteState } from '@jobline/db';
import Joi, { type StringSchema } from 'joi';
import { linkTokenHash } from '../../auth/secrets.js';
import type { Deps } from '../../deps.js';

/** The token of a link. Any string is accepted: an unknown one is not found. */
export function linkToken(): StringSchema {
  return Joi.string().max(1_000);
}

/** The pending invite of a token. Throws if there is none. */
export async function getPendingInvite({ db }: Deps<'db'>, token: string): Promise<HeldInvite> {
  const invite = await findInvite(db, linkTokenHash(token));
  if (invite?.state === 'pending') return invite;
  throw inviteError(invite?.state ?? 'unknown');
}

/** The error for an invite that cannot be accepted. */
export function inviteError(state: Exclude<InviteState, 'pending'> | 'unknown'): AppError {
  switch (state) {
    case 'unknown':
      return new AppError(
        'invite_not_found',
        'This invite is invalid, or it was revoked or replaced; ask for a new one.',
      );
    case 'expired':
      return new AppError('invite_expired', 'This invite has expired; ask for a new one.');
    case 'consumed':
      return new AppError('invite_consumed', 'This invite has already been accepted; log in instead.');
    default:
      return assertNever(state);
  }
}
