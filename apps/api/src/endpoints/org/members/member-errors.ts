import { AppError, assertNever } from '@jobline/contracts';
import type { MemberChangeFailure } from '@jobline/db';
import { notFound } from '../../../http/errors.js';

/** The error for a change of a member that is not possible. */
export function memberError(reason: MemberChangeFailure): AppError {
  switch (reason) {
    case 'not_found':
      return notFound();
    case 'last_owner':
      return new AppError('last_owner', 'An organization must have at least one owner. Promote another member first.');
    case 'not_owner':
      return noLongerOwner();
    default:
      return assertNever(reason);
  }
}

/** The caller lost the role after the request had passed the check of rights. */
export function noLongerOwner(): AppError {
  return new AppError('forbidden', 'You are no longer an owner of this organization.');
}
