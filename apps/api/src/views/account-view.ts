import { ROLES, type Role } from '@jobline/contracts';
import type { ApiKeyRow, MembershipRow } from '@jobline/db';
import Joi from 'joi';
import { uuid } from '../http/fields.js';
import { timestamp, view } from './view.js';

/** A user, with the role in the organization of the session. */
export interface UserView {
  id: string;
  email: string;
  role: Role;
}

export interface OrgView {
  id: string;
  name: string;
}

/** An organization of a user, with the user's role. */
export interface OrgMembershipView extends OrgView {
  role: Role;
}

export interface ApiKeyView {
  id: string;
  name: string;
  prefix: string;
  created_at: string;
  /** The user's id; null if the account was deleted. */
  created_by: string | null;
  last_used_at: string | null;
}

/** A new organization and the session of its owner. */
export interface RegistrationView extends SessionView {
  org: OrgView;
}

/** A new key. */
export interface NewApiKeyView {
  id: string;
  name: string;
  /** The key itself, shown only in this response. */
  key: string;
  prefix: string;
  created_at: string;
}

/** A new session. */
export interface SessionView {
  /** For `Authorization: Bearer`. */
  token: string;
  user: UserView;
}

const role = Joi.valid(...ROLES);
const email = Joi.string().email({ tlds: false });
const org = { id: uuid(), name: Joi.string() };
const apiKey = {
  id: uuid(),
  name: Joi.string(),
  prefix: Joi.string().description('The first characters of the key, by which people recognize it.'),
  created_at: timestamp(),
};

export const userView = view<UserView>('User', { id: uuid(), email, role });

export const orgView = view<OrgView>('Organization', org);

const session = { token: Joi.string().description('For `Authorization: Bearer`.'), user: userView };

export const orgMembershipView = view<OrgMembershipView>('Membership', { ...org, role });

export const sessionView = view<SessionView>('Session', session);

export const registrationView = view<RegistrationView>('Registration', { ...session, org: orgView });

export const apiKeyView = view<ApiKeyView>('ApiKey', {
  ...apiKey,
  created_by: uuid().allow(null).description("The user's id; null if the account was deleted."),
  last_used_at: timestamp().allow(null),
});

export const newApiKeyView = view<NewApiKeyView>('NewApiKey', {
  ...apiKey,
  key: Joi.string().description('The key itself, shown only in this response.'),
});

export const webhookSecretView = view<{ secret: string }>('WebhookSecret', {
  secret: Joi.string().pattern(/^whsec_/),
});

export function toUserView(user: { id: string; email: string }, role: Role): UserView {
  return { id: user.id, email: user.email, role };
}

export function toOrgMembershipView({ orgId, orgName, role }: MembershipRow): OrgMembershipView {
  return { id: orgId, name: orgName, role };
}

export function toApiKeyView(key: ApiKeyRow): ApiKeyView {
  return {
    id: key.id,
    name: key.name,
    prefix: key.prefix,
    created_at: key.createdAt.toISOString(),
    created_by: key.createdBy,
    last_used_at: key.lastUsedAt?.toISOString() ?? null,
  };
}
