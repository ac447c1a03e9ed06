import { ROLES, type Role } from '@jobline/contracts';
import type { ApiKeyRow, MembershipRow } from '@jobline/db';
import Joi from 'joi';
import { uuid } from '../http/fields.js';
import { timestamp, view } from './view.js';

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

type ApiKeyView = ReturnType<typeof toApiKeyView>;
type OrgMembershipView = ReturnType<typeof toOrgMembershipView>;

const role = Joi.valid(...ROLES);
const email = Joi.string().email({ tlds: false });
const org = { id: uuid(), name: Joi.string() };
const apiKey = {
  id: uuid(),
  name: Joi.string(),
  prefix: Joi.string().description('The first characters of the key, by which people recognize it.'),
  created_at: timestamp(),
};

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

export const apiKeyView = view<ApiKeyView>('ApiKey', {
  ...apiKey,
  created_by: uuid().allow(null).description("The user's id; null if the account was deleted."),
  last_used_at: timestamp().allow(null),
});

export const newApiKeyView = view<Pick<ApiKeyView, keyof typeof apiKey> & { key: string }>('NewApiKey', {
  ...apiKey,
  key: Joi.string().description('The key itself, shown only in this response.'),
});

export const webhookSecretView = view<{ secret: string }>('WebhookSecret', {
  secret: Joi.string().pattern(/^whsec_/),
});

export function toUserView(user: { id: string; email: string }, role: Role) {
  return { id: user.id, email: user.email, role };
}

export function toOrgMembershipView({ orgId, orgName, role }: MembershipRow) {
  return { id: orgId, name: orgName, role };
}

export function toApiKeyView(key: ApiKeyRow) {
  return {
    id: key.id,
    name: key.name,
    prefix: key.prefix,
    created_at: key.createdAt.toISOString(),
    created_by: key.createdBy,
    last_used_at: key.lastUsedAt?.toISOString() ?? null,
  };
}
