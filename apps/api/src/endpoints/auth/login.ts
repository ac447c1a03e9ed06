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
import Joi from 'joi';
import { passwordInput } from '../../auth/password-fields.js';
import type { NewSession } from '../../auth/token.js';
import type { EndpointDeps } from '../../deps.js';
import { defineEndpoint } from '../../endpoint.js';
import { email, uuid } from '../../http/fields.js';
import { invalidCredentials } from '../../http/http-errors.js';
import { json } from '../../http/responses.js';
import { sessionView, toUserView } from '../../views/account-view.js';

/** A login that is overtaken by another that hashes the password anew looks again. */
const MAX_TRIES = 3;

interface Body {
  email: string;
  password: string;
  org_id?: string;
}

/** Signs a user in to the organization they name, or to the one they joined last. */
export const login = defineEndpoint({
  method: 'post',
  path: '/auth/login',
  summary: 'Log in',
  auth: 'none',
  limits: { gate: 'login', account: ({ body }) => body.email },
  body: Joi.object<Body, true>({ email: email().required(), password: passwordInput().required(), org_id: uuid() }),
  responses: { 200: json('A session token and its user.', sessionView) },
  errors: ['invalid_credentials', 'forbidden', 'unavailable'],
  async handle({ deps, origin, body }) {
    for (let tries = 1; ; tries++) {
      const user = await findUserByEmail(deps.db, body.email);
      const isRight = await deps.passwords.verify(body.password, user?.passwordHash ?? null);
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
      // The password is another one since, or was only hashed anew by another login.
      if (!role && tries < MAX_TRIES) continue;
      if (!role) throw invalidCredentials();
      await renewHash(deps, user, body.password);
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
  { db }: EndpointDeps,
  { orgId, user, session, origin }: { orgId: OrgId; user: UserRow; session: NewSession; origin: AuditOrigin },
): Promise<Role | null> {
  return db.$transaction(async (tx) => {
    const role = await openSession(tx, orgId, { ...session, userId: user.id, verifiedHash: user.passwordHash });
    if (role) await recordAudit(tx, orgId, { ...origin, action: 'login.succeeded', actorId: user.id });
    return role;
  });
}

/** To whoever measures how long a refusal takes, all accounts look alike only if all hashes are of one cost. */
async function renewHash({ db, passwords, log }: EndpointDeps, user: UserRow, password: string): Promise<void> {
  if (!passwords.isOutdated(user.passwordHash)) return;
  try {
    const newHash = await passwords.hash(password);
    await replaceHash(db, user.id, { verifiedHash: user.passwordHash, newHash });
  } catch (error) {
    log.warn('a password was not hashed anew', { user_id: user.id, error });
  }
}

/** Told only to whoever knows the password: nobody else learns that there is such an account. */
function noOrganization(): AppError {
  return new AppError('forbidden', 'This account belongs to no organization any more; ask an owner for an invite.');
}

/** Not awaited: only of known addresses is there something to tell, and the answer must not take longer for them. */
function noteFailure({ db, log, background }: EndpointDeps, user: UserRow, login: FailedLogin): void {
  background.run(
    recordFailedLogin(db, user, login).catch((error: unknown) => {
      log.warn('a failed login was not recorded', { user_id: user.id, error });
    }),
  );
}
