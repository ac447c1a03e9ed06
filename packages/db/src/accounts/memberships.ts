import type { OrgId, Role, UserId } from '@jobline/contracts';
import type { DbSession } from '../postgres/client.js';

export interface MembershipRow {
  orgId: OrgId;
  orgName: string;
  role: Role;
}

/**
 * The organizations of a user, the latest joined first. It is one statement, so that no organization can disappear
 * between two.
 */
export function listMembershipsOf(db: DbSession, userId: UserId): Promise<MembershipRow[]> {
  return db.$queryRaw<MembershipRow[]>`
    SELECT m.org_id AS "orgId", o.name AS "orgName", m.role
    FROM memberships m JOIN organizations o ON o.id = m.org_id
    WHERE m.user_id = ${userId}::uuid ORDER BY m.joined_at DESC, m.org_id DESC`;
}
