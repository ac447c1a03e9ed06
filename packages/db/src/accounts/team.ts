import type { OrgId, Role, UserId } from '@jobline/contracts';
import { Prisma } from '../generated/client.js';
import type { Db, DbSession } from '../postgres/client.js';
import { whileLocked } from '../postgres/locked.js';

/**
 * Runs a change of an organization's members or roles. Such changes of one organization run one after the other, and
 * each sees the results of those before: two owners cannot remove each other. The lock does not block rows that only
 * refer to the organization.
 */
export function changeTeam<T>(db: Db, orgId: OrgId, change: (tx: DbSession) => Promise<T>): Promise<T> {
  return changeTeams(db, [orgId], change);
}

/** Like changeTeam, for several organizations; their locks are taken in a fixed order. */
export function changeTeams<T>(db: Db, orgIds: readonly OrgId[], change: (tx: DbSession) => Promise<T>): Promise<T> {
  const lock = Prisma.sql`
    SELECT FROM organizations WHERE id = ANY(${orgIds}::uuid[]) ORDER BY id FOR NO KEY UPDATE`;
  return whileLocked(db, lock, change);
}

/** The role of a user in an organization, as this transaction sees it; null: the user is not a member. */
export async function roleOf(tx: DbSession, orgId: OrgId, userId: UserId | string | null): Promise<Role | null> {
  if (userId === null) return null;
  const row = await tx.membership.findUnique({ where: { orgId_userId: { orgId, userId } }, select: { role: true } });
  return row?.role ?? null;
}
