import { RESET_VALID_MINUTES } from '@jobline/contracts';
import { createReset, type Db, deleteReset, findUserByEmail } from '@jobline/db';
import type { SystemMail } from '@jobline/messaging';
import { makeLinkToken } from './link-token.js';

/**
 * Makes a link by which the account of an address gets a new password, and the mail with it. Null: there is no account, or
 * it has been mailed enough of them that still hold.
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
      `Somebody, most likely you, has asked for a new password for the account of ${user.email}.`,
      `Choose one within ${RESET_VALID_MINUTES} minutes:`,
      `${publicUrl}/reset#token=${token}`,
      'Was it not you? Then there is nothing to do: your password stays as it is.',
    ].join('\n\n'),
    secret: token,
    takeBack: () => deleteReset(db, hash),
  };
}
