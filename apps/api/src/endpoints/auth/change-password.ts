import { changePassword as changePasswordRow, findUser } from '@jobline/db';
import { newPassword, passwordInput } from '../../auth/password-fields.js';
import { defineEndpoint } from '../../endpoint.js';
import { invalidCredentials } from '../../http/errors.js';
import { fieldsOf } from '../../http/fields.js';
import { empty } from '../../http/response-specs.js';

/** Replaces the user's password and ends all their sessions in every organization, except for this session. */
export const changePassword = defineEndpoint({
  method: 'post',
  path: '/auth/password',
  summary: 'Change the password',
  auth: 'bearer',
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
    const isRight = await deps.passwords.verify(body.current_password, verifiedHash);
    if (verifiedHash === null || !isRight) throw invalidCredentials();
    const newHash = await deps.passwords.hash(body.new_password);
    const ended = await changePasswordRow(deps.db, userId, { verifiedHash, newHash, keepSessionId, orgId, origin });
    if (!ended) throw invalidCredentials();
    for (const sessionId of ended) deps.credentials.forgetSession(sessionId);
    return { status: 204 };
  },
});
