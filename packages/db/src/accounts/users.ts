import type { OrgId, UserId } from '@jobline/contracts';
import type { Db, DbSession } from '../postgres/client.js';
import { type AuditOrigin, recordAccountAudit } from './audit.js';

export interface UserRow {
  id: UserId;
  email: string;
  passwordHash: string;
}

/** The account of an address in lower case, or null. */
export async function findUserByEmail(db: DbSession, email: string): Promise<UserRow | null> {
  return toUser(await db.user.findUnique({ where: { email } }));
}

export async function findUser(db: DbSession, id: UserId): Promise<UserRow | null> {
  return toUser(await db.user.findUnique({ where: { id } }));
}

/**
 * Replaces a password, ends every session of the user except one, and invalidates all mailed reset links; returns the
 * ids of the ended sessions. Null, and nothing done, if the password is no longer the one that the caller has verified.
 */
export async function changePassword(
  db: Db,
  userId: UserId,
  change: { verifiedHash: string; newHash: string; keepSessionId: string; orgId: OrgId; origin: AuditOrigin },
): Promise<string[] | null> {
  return db.$transaction(async (tx) => {
    const changed = await tx.user.updateMany({
      where: { id: userId, passwordHash: change.verifiedHash },
      data: { passwordHash: change.newHash },
    });
    if (changed.count === 0) return null;
    await tx.passwordReset.deleteMany({ where: { userId } });
    const ended = await tx.$queryRaw<{ id: string }[]>`
      DELETE FROM sessions WHERE user_id = ${userId}::uuid AND id <> ${change.keepSessionId}::uuid RETURNING id`;
    await recordAccountAudit(tx, userId, { ...change.origin, action: 'password.changed' }, change.orgId);
    return ended.map(({ id }) => id);
  });
}

/** Replaces a hash by another hash of the same password. Does nothing if the stored hash has changed meanwhile. */
export async function replaceHash(
  db: DbSession,
  userId: UserId,
  { verifiedHash, newHash }: { verifiedHash: string; newHash: string },
): Promise<void> {
  await db.user.updateMany({ where: { id: userId, passwordHash: verifiedHash }, data: { passwordHash: newHash } });
}

/** Stores that a link mailed to the account's address was opened. */
export async function markProved(tx: DbSession, userId: UserId): Promise<void> {
  await tx.$executeRaw`UPDATE users SET proved_at = now() WHERE id = ${userId}::uuid AND proved_at IS NULL`;
}

function toUser(row: { id: string; email: string; passwordHash: string } | null): UserRow | null {
  // The cast: the column holds users' ids.
  return row && { id: row.id as UserId, email: row.email, passwordHash: row.passwordHash };
}
