import { ROLES, type Role } from '@jobline/contracts';
import type { MembershipRow } from '@jobline/db';
import Joi from 'joi';
import { uuid } from '../http/fields.js';
import { view } from './view.js';

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

const role = Joi.valid(...ROLES);
const email = Joi.string().email({ tlds: false });
const org = { id: uuid(), name: Joi.string() };

const userView = view<UserView>('User', { id: uuid(), email, role });

const orgView = view<OrgView>('Organization', org);

const session = { token: Joi.string().description('For `Authorization: Bearer`.'), user: userView };

const orgMembershipView = view<OrgMembershipView>('Membership', { ...org, role });

export const sessionView = view<SessionView>('Session', session);

export const meView = view<{ user: UserView; org: OrgView; orgs: OrgMembershipView[] }>('Me', {
  user: userView,
  org: orgView,
  orgs: Joi.array().items(orgMembershipView),
});

export const registrationView = view<SessionView & { org: OrgView }>('Registration', { ...session, org: orgView });

export const webhookSecretView = view<{ secret: string }>('WebhookSecret', {
  secret: Joi.string().pattern(/^whsec_/),
});

export function toUserView(user: { id: string; email: string }, role: Role) {
  return { id: user.id, email: user.email, role };
}

export function toOrgMembershipView({ orgId, orgName, role }: MembershipRow) {
  return { id: orgId, name: orgName, role };
}
