import type { OrgId } from '@jobline/contracts';
import { findUserByEmail, listMembershipsOf, openSession, type UserRow } from '@jobline/db';
import Joi from 'joi';
import type { EndpointDeps } from '../../deps.js';
import { defineEndpoint } from '../../endpoint.js';
import { invalidCredentials } from '../../http/refusals.js';
import { json } from '../../http/replies.js';
import { sessionView, toUserView } from '../../views/account-view.js';
import { email, givenPassword, uuid } from '../fields.js';

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
  body: Joi.object<Body, true>({ email: email().required(), password: givenPassword().required(), org_id: uuid() }),
  responses: { 200: json('A session token and its user.', sessionView) },
  errors: ['invalid_credentials', 'unavailable'],
  async handle({ deps, body }) {
    const user = await findUserByEmail(deps.db, body.email);
    const isRight = await deps.passwords.verify(body.password, user?.passwordHash ?? null);
    if (!user || !isRight) throw invalidCredentials();
    const orgId = await chooseOrg(deps, user, body.org_id);
    const session = deps.tokens.newSession();
    const role = await openSession(deps.db, orgId, { ...session, userId: user.id, verifiedHash: user.passwordHash });
    if (!role) throw invalidCredentials();
    const token = deps.tokens.issue(session, { userId: user.id, orgId, role });
    return { status: 200, body: { token, user: toUserView(user, role) } };
  },
});

async function chooseOrg({ db }: EndpointDeps, user: UserRow, named: string | undefined): Promise<OrgId> {
  const memberships = await listMembershipsOf(db, user.id);
  const chosen = named === undefined ? memberships[0] : memberships.find(({ orgId }) => orgId === named);
  if (!chosen) throw invalidCredentials();
  return chosen.orgId;
}
