import { type OrgId, ROLES, type Role } from '@jobline/contracts';
import {
  deleteSession,
  findUser,
  listMembershipsOf,
  type MembershipRow,
  openSessionFrom,
  recordAudit,
} from '@jobline/db';
import Joi from 'joi';
import { defineEndpoint } from '../endpoint.js';
import { notFound, unauthenticated } from '../http/errors.js';
import { fieldsOf, uuid } from '../http/fields.js';
import { empty, json } from '../http/response-specs.js';
import { view } from '../http/view.js';

/** A user, with the role in the organization of the session. */
export type UserView = ReturnType<typeof toUserView>;

export interface OrgView {
  id: string;
  name: string;
}

export interface SessionView {
  token: string;
  user: UserView;
}

type OrgMembershipView = ReturnType<typeof toOrgMembershipView>;

const anyRole = Joi.valid(...ROLES);
const email = Joi.string().email({ tlds: false });
const orgFields = { id: uuid(), name: Joi.string() };

const userView = view<UserView>('User', { id: uuid(), email, role: anyRole });

const orgView = view<OrgView>('Organization', orgFields);

const sessionFields = { token: Joi.string().description('For `Authorization: Bearer`.'), user: userView };

const orgMembershipView = view<OrgMembershipView>('Membership', { ...orgFields, role: anyRole });

export const sessionView = view<SessionView>('Session', sessionFields);

const meView = view<{ user: UserView; org: OrgView; orgs: OrgMembershipView[] }>('Me', {
  user: userView,
  org: orgView,
  orgs: Joi.array().items(orgMembershipView),
});

export const registrationView = view<SessionView & { org: OrgView }>('Registration', {
  ...sessionFields,
  org: orgView,
});

export function toUserView(user: { id: string; email: string }, role: Role) {
  return { id: user.id, email: user.email, role };
}

function toOrgMembershipView({ orgId, orgName, role }: MembershipRow) {
  return { id: orgId, name: orgName, role };
}

/** The signed-in user, the organization of the session, and all organizations of the user. */
export const me = defineEndpoint({
  method: 'get',
  path: '/auth/me',
  summary: 'Read the signed-in user',
  right: 'account',
  needs: ['db'],
  responses: {
    200: json(
      "The user, the organization of this session, and all the user's organizations; the one joined last comes first.",
      meView,
    ),
  },
  async handle({ deps, principal }) {
    const { userId } = principal;
    const [user, memberships] = await Promise.all([findUser(deps.db, userId), listMembershipsOf(deps.db, userId)]);
    const here = memberships.find(({ orgId }) => orgId === principal.orgId);
    // The user was removed after the session had been looked up.
    if (!user || !here) throw unauthenticated();
    const org = { id: here.orgId, name: here.orgName };
    return {
      status: 200,
      body: { user: toUserView(user, here.role), org, orgs: memberships.map(toOrgMembershipView) },
    };
  },
});

/** Signs the user in to another of their organizations too. The new session ends when the current one does. */
export const switchOrg = defineEndpoint({
  method: 'post',
  path: '/auth/switch',
  summary: 'Switch to another organization',
  right: 'account',
  needs: ['db', 'tokens'],
  body: fieldsOf({ org_id: uuid() }),
  responses: { 200: json('A session token for that organization.', sessionView) },
  errors: ['not_found'],
  async handle({ deps, principal, origin, body }) {
    const user = await findUser(deps.db, principal.userId);
    const orgId = body.org_id as OrgId; // openSessionFrom checks the membership
    const session = deps.tokens.newSession();
    const from = { userId: principal.userId, fromSessionId: principal.sessionId };
    const opened = await deps.db.$transaction(async (tx) => {
      const done = await openSessionFrom(tx, orgId, { ...session, ...from });
      if (done) await recordAudit(tx, orgId, { ...origin, action: 'session.switched' });
      return done;
    });
    if (!user || !opened) throw notFound();
    const { role, expiresAt } = opened;
    const token = deps.tokens.issue({ ...session, expiresAt }, { userId: user.id, orgId, role });
    return { status: 200, body: { token, user: toUserView(user, role) } };
  },
});

/** Ends this session. Its token is no longer accepted. */
export const logout = defineEndpoint({
  method: 'post',
  path: '/auth/logout',
  summary: 'Log out',
  right: 'account',
  needs: ['credentials', 'db'],
  limits: 'none',
  responses: { 204: empty('The session has ended.') },
  async handle({ deps, principal, origin }) {
    await deps.db.$transaction(async (tx) => {
      const wasOpen = await deleteSession(tx, principal.sessionId);
      if (wasOpen) await recordAudit(tx, principal.orgId, { ...origin, action: 'logout' });
    });
    deps.credentials.forgetSession(principal.sessionId);
    return { status: 204 };
  },
});
