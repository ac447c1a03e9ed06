import { AppError } from '@jobline/contracts';
import { type AuditOrigin, claimAccount, findClaim, hasReset, resetPassword as resetPasswordRow } from '@jobline/db';
import Joi from 'joi';
import { linkTokenHash } from '../../auth/link-token.js';
import { newPassword } from '../../auth/password-fields.js';
import type { EndpointDeps } from '../../deps.js';
import { defineEndpoint } from '../../endpoint.js';
import { empty, json } from '../../http/responses.js';
import { sessionView, toUserView } from '../../views/account-view.js';
import { linkToken } from '../invite/pending-invite.js';

interface Body {
  token: string;
  password: string;
}

/**
 * Sets a new password with the link of a mail, once, and signs in. Every other session of the user ends. The link of a
 * mailed invite does so, too, for an account whose address nobody has proved to be theirs: it also accepts the invite, and
 * ends what was set up with the account before.
 */
export const resetPassword = defineEndpoint({
  method: 'post',
  path: '/auth/reset',
  summary: 'Choose a new password',
  auth: 'none',
  limits: { gate: 'recovery' },
  body: Joi.object<Body, true>({ token: linkToken().required(), password: newPassword().required() }),
  responses: {
    200: json('A session token and its user, in the organization they joined last.', sessionView),
    204: empty('The password is set, and nobody signed in: the account belongs to no organization.'),
  },
  errors: ['not_found', 'unavailable'],
  async handle({ deps, origin, body }) {
    const tokenHash = linkTokenHash(body.token);
    // Before the password, because a hash is dear.
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
  deps: EndpointDeps,
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

/** The same for one that never was, has been used, has expired or was ended by another password. */
function linkNotValid(): AppError {
  return new AppError('not_found', 'This link is not valid, or not any more; ask for a new one.');
}
