import type { OrgId, Role, UserId } from '@jobline/contracts';
import type { DbSession } from './client.js';

export interface MembershipRow {
  orgId: OrgId;
  orgName: string;
  role: Role;
}

/** The organizations of a user, the one joined last first. */
export async function listMembershipsOf(db: DbSession, userId: UserId): Promise<MembershipRow[]> {
  const rows = await db.membership.findMany({
    where: { userId },
    select: { orgId: true, role: true, org: { select: { name: true } } },
    orderBy: [{ joinedAt: 'desc' }, { orgId: 'desc' }],
  });
  // The cast: the column holds organizations' ids.
  return rows.map(({ orgId, role, org }) => ({ orgId: orgId as OrgId, orgName: org.name, role }));
}
