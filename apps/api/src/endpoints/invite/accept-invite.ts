import type { AppError, UserId } from '@jobline/contracts';
import {
  type Acceptor,
  acceptInvite as acceptInviteRow,
  findInvite,
  findUserByEmail,
  type HeldInvite,
} from '@jobline/db';
import { newId } from '@jobline/runtime';
import { newPassword } from '../../auth/password-fields.js';
import { linkTokenHash } from '../../auth/secrets.js';
import type { Deps } from '../../deps.js';
import { defineEndpoint } from '../../endpoint.js';
import { invalidCredentials } from '../../http/errors.js';
import { fieldsOf } from '../../http/fields.js';
import { json } from '../../http/response-specs.js';
import { sessionView, toUserView } from '../../views/account-view.js';
import { getPendingInvite, inviteError, linkToken } from './pending-invite.js';

/** The account can be created, or its password changed, while the request is checked. The check is then repeated. */
const MAX_TRIES = 3;

/**
 * Accepts an invite, once. If the address has no account, a new one with the given password is created. If it has one, the
 * password must be the right one and stays as it is: otherwise everyone who may invite could take over any account.
 */
export const acceptInvite = defineEndpoint({
  method: 'post',
  path: '/invite/accept',
  summary: 'Accept an invite',
  auth: 'none',
  needs: ['db', 'passwords', 'tokens'],
  limits: {
    auth: 'login',
    account: async ({ deps, body }) => (await findInvite(deps.db, linkTokenHash(body.token)))?.email,
  },
  // Every password of an account follows the rules for new passwords, so one that does not is wrong anyway.
  body: fieldsOf({ token: linkToken(), password: newPassword() }),
  responses: { 200: json('A session token and its user.', sessionView) },
  errors: ['invalid_credentials', 'invite_not_found', 'invite_expired', 'invite_consumed', 'unavailable'],
  async handle({ deps, origin, body }) {
    const session = deps.tokens.newSession();
    const tokenHash = linkTokenHash(body.token);
    for (let tries = 1; ; tries++) {
      // Before the password is hashed, because a hash is expensive.
      const { orgId, email } = await getPendingInvite(deps, body.token);
      const acceptor = await readAcceptor(deps, email, body.password);
      if (!acceptor) {
        // A concurrent request may have accepted the invite and created the account: its error is the right one then.
        await getPendingInvite(deps, body.token);
        throw wrongPassword();
      }
      const outcome = await acceptInviteRow(deps.db, orgId, { tokenHash, acceptor, session, origin });
      if (typeof outcome === 'object') {
        const { id } = acceptor;
        const token = deps.tokens.issue(session, { userId: id, orgId, role: outcome.role });
        return { status: 200, body: { token, user: toUserView({ id, email }, outcome.role) } };
      }
      if (outcome !== 'account_changed') throw inviteError(outcome);
      if (tries === MAX_TRIES) throw wrongPassword();
    }
  },
});

/** Null: the address has an account with another password. */
async function readAcceptor(
  { db, passwords }: Deps<'db' | 'passwords'>,
  email: HeldInvite['email'],
  password: string,
): Promise<Acceptor | null> {
  const user = await findUserByEmail(db, email);
  if (!user) {
    const id = newId() as UserId; // generated here
    return { kind: 'new', id, passwordHash: await passwords.hash(password) };
  }
  const isRight = await passwords.verify(password, user.passwordHash);
  return isRight ? { kind: 'known', id: user.id, verifiedHash: user.passwordHash } : null;
}

function wrongPassword(): AppError {
  return invalidCredentials('This address already has an account; use the password of that account.');
}
