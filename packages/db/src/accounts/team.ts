import { type OrgId, QUOTAS, type Quota, type Role, type UserId } from '@jobline/contracts';
import { Prisma } from '../generated/client.js';
import type { Db, DbSession } from '../postgres/client.js';
import { whileLocked } from '../postgres/transactions.js';

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
  const statement = Prisma.sql`
    SELECT FROM limits, organizations o WHERE o.id = ANY(${orgIds}::uuid[]) ORDER BY o.id FOR NO KEY UPDATE OF o`;
  return whileLocked(db, { names: [...new Set(orgIds)].sort(), statement }, change);
}

/** The role of a user in an organization, as this transaction sees it; null: the user is not a member. */
export async function roleOf(tx: DbSession, orgId: OrgId, userId: UserId | string | null): Promise<Role | null> {
  if (userId === null) return null;
  const row = await tx.membership.findFirst({ where: { orgId, userId }, select: { role: true } });
  return row?.role ?? null;
}

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

/**
 * Adds one item that counts against a quota of an organization; `full`, and nothing done, if the quota is used up.
 * Additions to one organization run one after the other, so that simultaneous requests cannot exceed the quota
 * together.
 */
export function addWithinQuota<T>(
  db: Db,
  orgId: OrgId,
  quota: Quota,
  add: (tx: DbSession) => Promise<T>,
): Promise<T | 'full'> {
  return changeTeam(db, orgId, async (tx) => {
    // A quota has the name of the table that it limits.
    const [{ used }] = await tx.$queryRaw<[{ used: number }]>`
      SELECT count(*)::int AS used FROM ${Prisma.raw(quota)} WHERE org_id = ${orgId}::uuid`;
    return used < QUOTAS[quota] ? add(tx) : 'full';
  });
}

/** The columns by which people know the rows of these tables. */
const NAMES = {
  domains: 'domain',
  schedules: 'name',
  sender_ids: 'sender_id',
  suppressions: 'address',
  templates: 'name',
  webhooks: 'url',
} as const;
export type RemovableTable = keyof typeof NAMES;

/** Removes a row of an organization. Returns its name, or null if the organization has no such row. */
export async function removeRow(
  db: DbSession,
  orgId: OrgId,
  table: RemovableTable,
  id: string,
): Promise<string | null> {
  const [row] = await db.$queryRaw<{ name: string }[]>`
    DELETE FROM ${Prisma.raw(table)} WHERE org_id = ${orgId}::uuid AND id = ${id}::uuid
    RETURNING ${Prisma.raw(NAMES[table])} AS name`;
  return row?.name ?? null;
}
