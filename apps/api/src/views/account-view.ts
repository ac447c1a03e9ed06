import type { Role } from '@jobline/contracts';
import type { ApiKeyRow, MembershipRow } from '@jobline/db';

/** A user as a member of the organization they are signed in to. */
export interface UserView {
  id: string;
  email: string;
  role: Role;
}

export interface OrgView {
  id: string;
  name: string;
}

/** An organization as one of a user's. */
export interface OrgMembershipView extends OrgView {
  role: Role;
}

export interface ApiKeyView {
  id: string;
  name: string;
  prefix: string;
  created_at: string;
  /** The user's id; null once the account is gone. */
  created_by: string | null;
  last_used_at: string | null;
}

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
