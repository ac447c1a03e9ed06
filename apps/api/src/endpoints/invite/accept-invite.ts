import { AppError, type UserId } from '@jobline/contracts';
import {
  type Acceptor,
  acceptInvite as acceptInviteRow,
  findInvite,
  findUserByEmail,
  type HeldInvite,
} from '@jobline/db';
import { newId } from '@jobline/runtime';
import Joi from 'joi';
import { linkTokenHash } from '../../auth/link-token.js';
import { newPassword } from '../../auth/password-fields.js';
import type { EndpointDeps } from '../../deps.js';
import { defineEndpoint } from '../../endpoint.js';
import { json } from '../../http/responses.js';
import { sessionView, toUserView } from '../../views/account-view.js';
import { getPendingInvite, inviteRefusal, linkToken } from './pending-invite.js';

interface Body {
  token: string;
  password: string;
}

/** An account can be made, and its password changed, while the one that was given is looked at: then it is looked at anew. */
const MAX_TRIES = 3;

/**
 * Joins by an invite, once. Where the address has no account the password becomes that of a new one; where it has one, it
 * must be its password, and stays: otherwise whoever may invite could take over any account.
 */
export const acceptInvite = defineEndpoint({
  method: 'post',
  path: '/invite/accept',
  summary: 'Accept an invite',
  auth: 'none',
  limits: {
    gate: 'login',
    account: async ({ deps, body }) => (await findInvite(deps.db, linkTokenHash(body.token)))?.email,
  },
  // The rules hold for every password that was ever set, so one that breaks them is no account's.
  body: Joi.object<Body, true>({ token: linkToken().required(), password: newPassword().required() }),
  responses: { 200: json('A session token and its user.', sessionView) },
  errors: ['invalid_credentials', 'invite_not_found', 'invite_expired', 'invite_consumed', 'unavailable'],
  async handle({ deps, origin, body }) {
    const session = deps.tokens.newSession();
    const tokenHash = linkTokenHash(body.token);
    for (let tries = 1; ; tries++) {
      // Before the password, because a hash is dear.
      const { orgId, email } = await getPendingInvite(deps, body.token);
      const acceptor = await readAcceptor(deps, email, body.password);
      if (!acceptor) {
        // The account may be that of another acceptance, which has just made it: then that is the answer.
        await getPendingInvite(deps, body.token);
        throw wrongPassword();
      }
      const outcome = await acceptInviteRow(deps.db, orgId, { tokenHash, acceptor, session, origin });
      if (typeof outcome === 'object') {
        const { id } = acceptor;
        const token = deps.tokens.issue(session, { userId: id, orgId, role: outcome.role });
        return { status: 200, body: { token, user: toUserView({ id, email }, outcome.role) } };
      }
      if (outcome !== 'account_changed') throw inviteRefusal(outcome);
      if (tries === MAX_TRIES) throw wrongPassword();
    }
  },
});

/** Null: there is an account, and this is not its password. */
async function readAcceptor(
  { db, passwords }: EndpointDeps,
  email: HeldInvite['email'],
  password: string,
): Promise<Acceptor | null> {
  const user = await findUserByEmail(db, email);
  if (!user) {
    const id = newId() as UserId; // made here, for this
    return { kind: 'new', id, passwordHash: await passwords.hash(password) };
  }
  const isRight = await passwords.verify(password, user.passwordHash);
  return isRight ? { kind: 'known', id: user.id, verifiedHash: user.passwordHash } : null;
}

function wrongPassword(): AppError {
  return new AppError('invalid_credentials', 'This address has an account: accept with the password of that account.', {
    headers: { 'WWW-Authenticate': 'Bearer' },
  });
}
