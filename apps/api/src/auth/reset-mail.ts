import { RESET_VALID_MINUTES } from '@jobline/contracts';
import { createReset, type Db, deleteReset, findUserByEmail } from '@jobline/db';
import type { SystemMail } from '@jobline/messaging';
import { makeLinkToken } from './secrets.js';

/**
 * Creates a link with which the user of an address can set a new password, and the email with it. Null: the address has no
 * account, or it has too many valid links already.
 */
export async function makeResetMail(
  { db, publicUrl }: { db: Db; publicUrl: string },
  address: string,
): Promise<SystemMail | null> {
  const user = await findUserByEmail(db, address);
  if (!user) return null;
  const { token, hash } = makeLinkToken();
  if (!(await createReset(db, user.id, hash))) return null;
  return {
    about: { user_id: user.id },
    to: user.email,
    subject: 'Choose a new password',
    body: [
      `A new password was requested for the account of ${user.email}.`,
      `Choose one within ${RESET_VALID_MINUTES} minutes:`,
      `${publicUrl}/reset#token=${token}`,
      'If you did not request it, ignore this email: your password does not change.',
    ].join('\n\n'),
    secret: token,
    takeBack: () => deleteReset(db, hash),
  };
}
