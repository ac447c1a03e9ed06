import { AppError } from '@jobline/contracts';
import { type AuditOrigin, claimAccount, findClaim, hasReset, resetPassword as resetPasswordRow } from '@jobline/db';
import { newPassword } from '../../auth/password-fields.js';
import { linkTokenHash } from '../../auth/secrets.js';
import type { Deps } from '../../deps.js';
import { defineEndpoint } from '../../endpoint.js';
import { fieldsOf } from '../../http/fields.js';
import { empty, json } from '../../http/response-specs.js';
import { sessionView, toUserView } from '../../views/account-view.js';
import { linkToken } from '../invite/pending-invite.js';

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
    const newHash = await deps.passwords.hash(body.password);
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
  const newHash = await deps.passwords.hash(password);
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
