import { AppError, assertNever } from '@jobline/contracts';
import type { MemberChangeFailure } from '@jobline/db';
import { notFound } from '../../../http/refusals.js';

/** Why a member stays as they are. */
export function memberRefusal(refusal: MemberChangeFailure): AppError {
  switch (refusal) {
    case 'not_found':
      return notFound();
    case 'last_owner':
      return new AppError('last_owner', 'An organization keeps one owner at least; make somebody else an owner first.');
    case 'not_owner':
      return noOwnerAnyMore();
    default:
      return assertNever(refusal);
  }
}

/** The role was taken away after the request had been let in. */
export function noOwnerAnyMore(): AppError {
  return new AppError('forbidden', 'You are no owner of this organization any more.');
}
