import { NOTICE_LIMITS, type UserId } from '@jobline/contracts';
import { cancelProof, type Db, startProof } from '@jobline/db';
import type { SystemMail } from '@jobline/messaging';
import { makeLinkToken } from './secrets.js';

/**
 * Creates the email with the link that proves the address of a user: the only email that an unproved address gets, at most once a
 * day. Null: the address is proved, or it got this email within a day. The address may be that of a stranger, so the email has no
 * words of other people. `reason`: a sentence of the service.
 */
export async function makeProofMail(
  { db, publicUrl }: { db: Db; publicUrl: string },
  userId: UserId,
  reason?: string,
): Promise<SystemMail | null> {
  const { token, hash } = makeLinkToken();
  const to = await startProof(db, userId, hash);
  if (to === null) return null;
  return {
    about: { user_id: userId },
    to,
    subject: 'Confirm your email address',
    body: [
      ...(reason === undefined ? [] : [`${reason} Details are only sent to addresses that are confirmed.`]),
      `There is an account of ${to} at ${publicUrl}. If it is yours, confirm within ${NOTICE_LIMITS.proofValidHours} hours that you receive its email. Sign in for it:`,
      `${publicUrl}/verify#token=${token}`,
      'If you did not create this account, ignore this email. Without your confirmation it gets at most one such email a day.',
    ].join('\n\n'),
    secret: token,
    takeBack: () => cancelProof(db, hash),
  };
}
