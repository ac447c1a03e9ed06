import { AppError, assertNever } from '@jobline/contracts';
import { findInvite, type HeldInvite, type InviteState } from '@jobline/db';
import Joi, { type StringSchema } from 'joi';
import { linkTokenHash } from '../../auth/link-token.js';
import type { EndpointDeps } from '../../deps.js';

/** What a link carries. Whatever it is, it is one of ours or leads nowhere. */
export function linkToken(): StringSchema {
  return Joi.string().max(1_000);
}

/** The invite that can be accepted with a token. */
export async function getPendingInvite({ db }: EndpointDeps, token: string): Promise<HeldInvite> {
  const invite = await findInvite(db, linkTokenHash(token));
  if (invite?.state === 'pending') return invite;
  throw inviteRefusal(invite?.state ?? 'unknown');
}

/** Why an invite cannot be accepted. */
export function inviteRefusal(state: Exclude<InviteState, 'pending'> | 'unknown'): AppError {
  switch (state) {
    case 'unknown':
      return new AppError(
        'invite_not_found',
        'This invite is not valid, or was revoked or replaced; ask for a new one.',
      );
    case 'expired':
      return new AppError('invite_expired', 'This invite has expired; ask for a new one.');
    case 'consumed':
      return new AppError('invite_consumed', 'This invite has been accepted already; log in instead.');
    default:
      return assertNever(state);
  }
}
