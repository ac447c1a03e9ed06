import { AppError, type OrgId, type UserId } from '@jobline/contracts';
import { findUserByEmail, hasOrganizations, registerOrganization } from '@jobline/db';
import { newId } from '@jobline/runtime';
import { newPassword } from '../auth/password.js';
import { makeProofMail } from '../auth/proof-mail.js';
import { newWebhookSecret } from '../auth/secrets.js';
import type { Deps } from '../deps.js';
import { defineEndpoint } from '../endpoint.js';
import { email, fieldsOf, name } from '../http/fields.js';
import { json } from '../http/response-specs.js';
import { addressKey } from '../rate-limits/client-address.js';
import { registrationView, toUserView } from './sessions.js';

/**
 * Creates an organization and the account of its first owner, and signs the owner in. If a sender is configured, mails a link that
 * verifies the address.
 */
export const register = defineEndpoint({
  method: 'post',
  path: '/auth/register',
  summary: 'Register an organization',
  auth: 'none',
  needs: ['cipher', 'db', 'passwords', 'settings', 'systemMails', 'tokens'],
  limits: { auth: 'register', account: ({ body }) => body.email },
  body: fieldsOf({ org_name: name(), email: email(), password: newPassword() }),
  responses: { 201: json('The organization, its owner and a session token.', registrationView) },
  errors: ['forbidden', 'conflict', 'unavailable'],
  async handle({ deps, origin, body }) {
    await checkEarly(deps, body.email);
    // Both casts: the ids are generated here.
    const org = { id: newId() as OrgId, name: body.org_name };
    const user = {
      id: newId() as UserId,
      email: body.email,
      passwordHash: await deps.passwords.hash(body.password, origin.ip),
    };
    const session = deps.tokens.newSession();
    const registration = { org, user, session, webhookSecret: newWebhookSecret(), origin };
    const onlyFirst = deps.settings.registration === 'first';
    const outcome = await registerOrganization(deps.db, registration, { onlyFirst, cipher: deps.cipher });
    if (outcome === 'email_taken') throw emailTaken();
    if (outcome === 'not_first') throw registrationClosed();
    mailProof(deps, user, origin.ip);
    const role = 'owner';
    const token = deps.tokens.issue(session, { userId: user.id, orgId: org.id, role });
    return { status: 201, body: { token, user: toUserView(user, role), org } };
  },
});

/** Throws before the password is hashed, because a hash is expensive. */
async function checkEarly({ db, settings }: Deps<'db' | 'settings'>, address: string): Promise<void> {
  if (settings.registration === 'closed') throw registrationClosed();
  if (settings.registration === 'first' && (await hasOrganizations(db))) throw registrationClosed();
  if (await findUserByEmail(db, address)) throw emailTaken();
}

/** The response does not wait for the email, and the account works without it. */
function mailProof(
  { db, settings, systemMails }: Deps<'db' | 'settings' | 'systemMails'>,
  user: { id: UserId; email: string },
  ip: string | null,
): void {
  if (!systemMails.hasSender) return;
  const make = () => makeProofMail({ db, publicUrl: settings.publicUrl }, user.id);
  systemMails.post({ kind: 'address', to: user.email, source: addressKey(ip ?? undefined), make });
}

function registrationClosed(): AppError {
  return new AppError('forbidden', 'Registration is closed; ask an owner for an invite.');
}

function emailTaken(): AppError {
  return new AppError('conflict', 'This email address already has an account; log in instead.');
}
