import { AppError, type OrgId, type Role } from '@jobline/contracts';
import {
  type AuditOrigin,
  type FailedLogin,
  findUserByEmail,
  listMembershipsOf,
  type MembershipRow,
  openSession,
  recordAudit,
  recordFailedLogin,
  replaceHash,
  type UserRow,
} from '@jobline/db';
import { passwordInput } from '../auth/password.js';
import type { NewSession } from '../auth/token.js';
import type { Deps } from '../deps.js';
import { defineEndpoint } from '../endpoint.js';
import { invalidCredentials } from '../http/errors.js';
import { email, fieldsOf, uuid } from '../http/fields.js';
import { json } from '../http/response-specs.js';
import { sessionView, toUserView } from './sessions.js';

/** A login starts again when another login has replaced the password hash meanwhile. */
const MAX_TRIES = 3;

/** Signs a user in to the named organization, or to the one they joined last. */
export const login = defineEndpoint({
  method: 'post',
  path: '/auth/login',
  summary: 'Log in',
  auth: 'none',
  needs: ['background', 'db', 'log', 'passwords', 'tokens'],
  limits: { auth: 'login', account: ({ body }) => body.email },
  body: fieldsOf({ email: email(), password: passwordInput() }, { org_id: uuid() }),
  responses: { 200: json('A session token and its user.', sessionView) },
  errors: ['invalid_credentials', 'forbidden', 'unavailable'],
  async handle({ deps, origin, body }) {
    for (let tries = 1; ; tries++) {
      const user = await findUserByEmail(deps.db, body.email);
      const isRight = await deps.passwords.verify(body.password, user?.passwordHash ?? null, origin.ip);
      if (!user) throw invalidCredentials();
      const memberships = isRight ? await listMembershipsOf(deps.db, user.id) : [];
      if (isRight && memberships.length === 0) throw noOrganization();
      const orgId = chooseOrg(memberships, body.org_id);
      if (!orgId) {
        noteFailure(deps, user, { ...origin, orgId: body.org_id });
        throw invalidCredentials();
      }
      const session = deps.tokens.newSession();
      const role = await open(deps, { orgId, user, session, origin });
      // Either the password was changed, or another login only replaced its hash.
      if (!role && tries < MAX_TRIES) continue;
      if (!role) throw invalidCredentials();
      await renewHash(deps, user, { password: body.password, ip: origin.ip });
      const token = deps.tokens.issue(session, { userId: user.id, orgId, role });
      return { status: 200, body: { token, user: toUserView(user, role) } };
    }
  },
});

function chooseOrg(memberships: MembershipRow[], named: string | undefined): OrgId | null {
  const chosen = named === undefined ? memberships[0] : memberships.find(({ orgId }) => orgId === named);
  return chosen?.orgId ?? null;
}

function open(
  { db }: Deps<'db'>,
  { orgId, user, session, origin }: { orgId: OrgId; user: UserRow; session: NewSession; origin: AuditOrigin },
): Promise<Role | null> {
  return db.$transaction(async (tx) => {
    const role = await openSession(tx, orgId, { ...session, userId: user.id, verifiedHash: user.passwordHash });
    if (role) await recordAudit(tx, orgId, { ...origin, action: 'login.succeeded', actorId: user.id });
    return role;
  });
}

/** Keeps all hashes at one cost. Otherwise the response time would reveal which accounts exist. */
async function renewHash(
  { db, passwords, log }: Deps<'db' | 'passwords' | 'log'>,
  user: UserRow,
  { password, ip }: { password: string; ip: string | null },
): Promise<void> {
  if (!passwords.isOutdated(user.passwordHash)) return;
  try {
    const newHash = await passwords.hash(password, ip);
    await replaceHash(db, user.id, { verifiedHash: user.passwordHash, newHash });
  } catch (error) {
    log.warn('failed to replace an outdated password hash', { user_id: user.id, error });
  }
}

/** Only a caller with the right password gets this error, so it does not reveal which accounts exist. */
function noOrganization(): AppError {
  return new AppError('forbidden', 'This account no longer belongs to an organization; ask an owner for an invite.');
}

/** Not awaited: only failures of known accounts are recorded, and the response must not take longer for them. */
function noteFailure(
  { db, log, background }: Deps<'db' | 'log' | 'background'>,
  user: UserRow,
  login: FailedLogin,
): void {
  background.run(
    recordFailedLogin(db, user, login).catch((error: unknown) => {
      log.warn('failed to record a failed login', { user_id: user.id, error });
    }),
  );
}
