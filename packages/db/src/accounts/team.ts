import type { OrgId, Role, UserId } from '@jobline/contracts';
import type { Db, DbSession } from '../postgres/client.js';
import { retryDeadlocks } from '../postgres/errors.js';

/** Many may wait for one organization's lock at once. */
const LIMITS = { maxWait: 5_000, timeout: 10_000 };

/**
 * Runs a change of who belongs to an organization, or as what. Such changes of one organization come one after the other,
 * and each sees what those before it have done: two owners cannot remove each other. The lock lets rows that only refer
 * to the organization through. Whoever waits for it too long is told that the database is unavailable, and keeps no connection.
 */
export function changeTeam<T>(db: Db, orgId: OrgId, change: (tx: DbSession) => Promise<T>): Promise<T> {
  return changeTeams(db, [orgId], change);
}

/** The same for several organizations, whose locks are taken in one order. */
export function changeTeams<T>(db: Db, orgIds: readonly OrgId[], change: (tx: DbSession) => Promise<T>): Promise<T> {
  return retryDeadlocks(() =>
    db.$transaction(async (tx) => {
      await tx.$executeRaw`SET LOCAL lock_timeout = '3s'`;
      await tx.$executeRaw`SELECT FROM organizations WHERE id = ANY(${orgIds}::uuid[]) ORDER BY id FOR NO KEY UPDATE`;
      return change(tx);
    }, LIMITS),
  );
}

/** The role of a user in an organization as it is within this transaction; null: they do not belong to it. */
export async function roleOf(tx: DbSession, orgId: OrgId, userId: UserId | string | null): Promise<Role | null> {
  if (userId === null) return null;
  const row = await tx.membership.findUnique({ where: { orgId_userId: { orgId, userId } }, select: { role: true } });
  return row?.role ?? null;
}
