import { AppError, RESET_VALID_MINUTES } from '@jobline/contracts';
import {
  type AuditOrigin,
  changePassword as changePasswordRow,
  claimAccount,
  createReset,
  type Db,
  deleteReset,
  findClaim,
  findUser,
  findUserByEmail,
  hasReset,
  resetPassword as resetPasswordRow,
} from '@jobline/db';
import type { SystemMail } from '@jobline/messaging';
import { newPassword, passwordInput } from '../auth/password.js';
import { linkTokenHash, makeLinkToken } from '../auth/secrets.js';
import type { Deps } from '../deps.js';
import { defineEndpoint } from '../endpoint.js';
import { invalidCredentials } from '../http/errors.js';
import { email, fieldsOf } from '../http/fields.js';
import { empty, json } from '../http/response-specs.js';
import { addressKey } from '../rate-limits/client-address.js';
import { tooBusy } from '../rate-limits/rate-limit-state.js';
import { linkToken } from './accept-invite.js';
import { sessionView, toUserView } from './sessions.js';

/** Replaces the user's password and ends all their sessions in every organization, except for this session. */
export const changePassword = defineEndpoint({
  method: 'post',
  path: '/auth/password',
  summary: 'Change the password',
  right: 'account',
  needs: ['credentials', 'db', 'passwords'],
  // By the email address, as for logins: guesses at both endpoints count together.
  limits: { auth: 'login', account: async ({ deps, principal }) => (await findUser(deps.db, principal.userId))?.email },
  body: fieldsOf({ current_password: passwordInput(), new_password: newPassword() }),
  responses: { 204: empty('The password has been changed.') },
  errors: ['invalid_credentials'],
  async handle({ deps, principal, origin, body }) {
    const { userId, orgId, sessionId: keepSessionId } = principal;
    const verifiedHash = (await findUser(deps.db, userId))?.passwordHash ?? null;
    const isRight = await deps.passwords.verify(body.current_password, verifiedHash, origin.ip);
    if (verifiedHash === null || !isRight) throw invalidCredentials();
    const newHash = await deps.passwords.hash(body.new_password, origin.ip);
    const ended = await changePasswordRow(deps.db, userId, { verifiedHash, newHash, keepSessionId, orgId, origin });
    if (!ended) throw invalidCredentials();
    for (const sessionId of ended) deps.credentials.forgetSession(sessionId);
    return { status: 204 };
  },
});

const RETRY_AFTER_S = 60;

/**
 * Mails a link for a new password, if the address has an account and fewer than five valid links. Both are looked up
 * after the response, so neither its content nor its time reveals them.
 */
export const forgotPassword = defineEndpoint({
  method: 'post',
  path: '/auth/forgot',
  summary: 'Request a new password',
  auth: 'none',
  needs: ['db', 'settings', 'systemMails'],
  limits: { auth: 'recovery', account: ({ body }) => body.email },
  body: fieldsOf({ email: email() }),
  responses: { 202: empty('If the address has an account, a link will be mailed to it.') },
  errors: ['rate_limited'],
  async handle({ deps, origin, body }) {
    const { db, settings, systemMails } = deps;
    const posted = systemMails.post({
      kind: 'password reset',
      to: body.email,
      source: addressKey(origin.ip ?? undefined),
      make: () => makeResetMail({ db, publicUrl: settings.publicUrl }, body.email),
    });
    // `dropped` is not an error: enough emails are waiting for this address, whether it has an account or not.
    if (posted === 'refused') throw tooBusy('Too many emails are waiting to be sent.', RETRY_AFTER_S);
    return { status: 202 };
  },
});

/**
 * Creates a link with which the user of an address can set a new password, and the email with it. Null: the address has no
 * account, or it has too many valid links already.
 */
async function makeResetMail(
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

/**
 * Sets a new password with a mailed link, once, and signs the user in. Every other session of the user ends. For an account
 * whose email address was never confirmed, the link of a mailed invite works too: it also accepts the invite, and ends
 * everything that was set up with the account before.
 */
export const resetPassword = defineEndpoint({
  method: 'post',
  path: '/auth/reset',
  summary: 'Choose a new password',
  auth: 'none',
  needs: ['credentials', 'db', 'passwords', 'tokens'],
  limits: { auth: 'recovery' },
  body: fieldsOf({ token: linkToken(), password: newPassword() }),
  responses: {
    200: json('A session token and its user, in the organization that the user joined last.', sessionView),
    204: empty('The password is set. There is no session, because the account belongs to no organization.'),
  },
  errors: ['not_found', 'unavailable'],
  async handle({ deps, origin, body }) {
    const tokenHash = linkTokenHash(body.token);
    // Before the password is hashed, because a hash is expensive.
    if (!(await hasReset(deps.db, tokenHash))) return claim(deps, tokenHash, { origin, password: body.password });
    const newHash = await deps.passwords.hash(body.password, origin.ip);
    const session = deps.tokens.newSession();
    const reset = await resetPasswordRow(deps.db, { tokenHash, newHash, session, origin });
    if (!reset) throw linkNotValid();
    for (const sessionId of reset.endedIds) deps.credentials.forgetSession(sessionId);
    const { user, signedIn } = reset;
    if (!signedIn) return { status: 204 };
    const token = deps.tokens.issue(session, { userId: user.id, ...signedIn });
    return { status: 200, body: { token, user: toUserView(user, signedIn.role) } };
  },
});

async function claim(
  deps: Deps<'credentials' | 'db' | 'passwords' | 'tokens'>,
  tokenHash: Uint8Array,
  { origin, password }: { origin: AuditOrigin; password: string },
) {
  const found = await findClaim(deps.db, tokenHash);
  if (!found) throw linkNotValid();
  const newHash = await deps.passwords.hash(password, origin.ip);
  const session = deps.tokens.newSession();
  const claimed = await claimAccount(deps.db, found, { tokenHash, newHash, session, origin });
  if (!claimed) throw linkNotValid();
  const { user, orgId, role, endedIds } = claimed;
  for (const sessionId of endedIds) deps.credentials.forgetSession(sessionId);
  const token = deps.tokens.issue(session, { userId: user.id, orgId, role });
  return { status: 200 as const, body: { token, user: toUserView(user, role) } };
}

/** The same error for an unknown link, a used one, an expired one, and one from before the last change of the password. */
function linkNotValid(): AppError {
  return new AppError('not_found', 'This link is invalid or has expired; request a new one.');
}
