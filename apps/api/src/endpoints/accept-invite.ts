import { AppError, assertNever, type UserId } from '@jobline/contracts';
import {
  type Acceptor,
  acceptInvite as acceptInviteRow,
  findInvite,
  findUserByEmail,
  type HeldInvite,
  type InviteState,
} from '@jobline/db';
import { newId } from '@jobline/runtime';
import Joi, { type StringSchema } from 'joi';
import { newPassword } from '../auth/password.js';
import { linkTokenHash } from '../auth/secrets.js';
import type { Deps } from '../deps.js';
import { defineEndpoint } from '../endpoint.js';
import { invalidCredentials } from '../http/errors.js';
import { fieldsOf } from '../http/fields.js';
import { json } from '../http/response-specs.js';
import { timestamp, view } from '../http/view.js';
import { sessionView, toUserView } from './sessions.js';

const heldInviteView = view<ReturnType<typeof toHeldInviteView>>('HeldInvite', {
  email: Joi.string().email({ tlds: false }),
  org_name: Joi.string(),
  expires_at: timestamp(),
});

function toHeldInviteView({ email: address, orgName, expiresAt }: HeldInvite) {
  return { email: address, org_name: orgName, expires_at: expiresAt.toISOString() };
}

/** The email address and the organization of an invite, for the page that asks for a password. */
export const checkInvite = defineEndpoint({
  method: 'get',
  path: '/invite',
  summary: 'Read an invite',
  auth: 'none',
  needs: ['db'],
  limits: { auth: 'invite' },
  query: fieldsOf({ token: linkToken() }),
  responses: { 200: json('A pending invite.', heldInviteView) },
  errors: ['invite_not_found', 'invite_expired', 'invite_consumed', 'unavailable'],
  async handle({ deps, query }) {
    return { status: 200, body: toHeldInviteView(await getPendingInvite(deps, query.token)) };
  },
});

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
      const acceptor = await readAcceptor(deps, email, { password: body.password, ip: origin.ip });
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
  { password, ip }: { password: string; ip: string | null },
): Promise<Acceptor | null> {
  const user = await findUserByEmail(db, email);
  if (!user) {
    const id = newId() as UserId; // generated here
    return { kind: 'new', id, passwordHash: await passwords.hash(password, ip) };
  }
  const isRight = await passwords.verify(password, user.passwordHash, ip);
  return isRight ? { kind: 'known', id: user.id, verifiedHash: user.passwordHash } : null;
}

function wrongPassword(): AppError {
  return invalidCredentials('This address already has an account; use the password of that account.');
}

/** The token of a link. Any string is accepted: an unknown one is not found. */
export function linkToken(): StringSchema {
  return Joi.string().max(1_000);
}

/** The pending invite of a token. Throws if there is none. */
async function getPendingInvite({ db }: Deps<'db'>, token: string): Promise<HeldInvite> {
  const invite = await findInvite(db, linkTokenHash(token));
  if (invite?.state === 'pending') return invite;
  throw inviteError(invite?.state ?? 'unknown');
}

/** The error for an invite that cannot be accepted. */
function inviteError(state: Exclude<InviteState, 'pending'> | 'unknown'): AppError {
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
