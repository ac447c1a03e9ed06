import { type OrgId, RESET_VALID_MINUTES, type Role, type UserId } from '@jobline/contracts';
import type { Db, DbSession } from '../postgres/client.js';
import { retryDeadlocks } from '../postgres/errors.js';
import { type AuditOrigin, recordAccountAudit } from './audit.js';
import { openSession } from './sessions.js';
import { listMembershipsOf } from './team.js';

export interface UserRow {
  id: UserId;
  email: string;
  passwordHash: string;
  /** Whether a link that was mailed to the address was used. */
  isProved: boolean;
}

/** The account of an address in lower case, or null. */
export async function findUserByEmail(db: DbSession, email: string): Promise<UserRow | null> {
  return toUser(await db.user.findFirst({ where: { email } }));
}

export async function findUser(db: DbSession, id: UserId): Promise<UserRow | null> {
  return toUser(await db.user.findFirst({ where: { id } }));
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

function toUser(
  row: { id: string; email: string; passwordHash: string; provedAt: Date | null } | null,
): UserRow | null {
  if (!row) return null;
  const { id, email, passwordHash, provedAt } = row;
  // The cast: the column holds users' ids.
  return { id: id as UserId, email, passwordHash, isProved: provedAt !== null };
}

/**
 * How many reset links of a user are valid at the same time. More than one, so that a stranger who requests a link does
 * not end one that was mailed before. No new link is created beyond the limit, so that strangers cannot fill a mailbox;
 * the mailed links stay valid.
 */
const MAX_OPEN = 5;

/**
 * Lets the holder of a token choose a new password for an hour. False, and nothing done, if the user already has the
 * maximum number of tokens; simultaneous requests may exceed it by their number.
 */
export async function createReset(db: DbSession, userId: UserId, tokenHash: Uint8Array): Promise<boolean> {
  const made = await db.$executeRaw`
    INSERT INTO password_resets (token_hash, user_id, created_at, expires_at)
    SELECT ${tokenHash}, ${userId}::uuid, now(), now() + ${RESET_VALID_MINUTES}::int * interval '1 minute'
    WHERE ${MAX_OPEN}::int > (SELECT count(*) FROM password_resets WHERE user_id = ${userId}::uuid AND expires_at > now())`;
  return made > 0;
}

/** Removes a token that was not delivered, so that it does not count against the maximum. */
export async function deleteReset(db: DbSession, tokenHash: Uint8Array): Promise<void> {
  await db.$executeRaw`DELETE FROM password_resets WHERE token_hash = ${tokenHash}`;
}

/** Whether the token can still be used to choose a password. */
export async function hasReset(db: DbSession, tokenHash: Uint8Array): Promise<boolean> {
  const rows = await db.$queryRaw<unknown[]>`
    SELECT 1 FROM password_resets WHERE token_hash = ${tokenHash} AND expires_at > now()`;
  return rows.length > 0;
}

export interface Reset {
  user: { id: UserId; email: string };
  /** Where the user is signed in: the organization that they joined last; null: they belong to none. */
  signedIn: { orgId: OrgId; role: Role } | null;
  /** The sessions that were ended: all sessions of the user. */
  endedIds: string[];
}

/**
 * Consumes a token and every other token of the user: sets the password, ends all sessions of the user and opens a new
 * one. It also proves the account's address, because the token was only sent by mail. Null, and nothing done: the token
 * is not valid.
 */
export async function resetPassword(
  db: Db,
  reset: {
    tokenHash: Uint8Array;
    newHash: string;
    session: { id: string; expiresAt: Date };
    origin: AuditOrigin;
  },
): Promise<Reset | null> {
  const { tokenHash, newHash, session, origin } = reset;
  const run = async (tx: DbSession): Promise<Reset | null> => {
    // Locks the user first, as every change of a password does: two of them cannot deadlock.
    await tx.$executeRaw`
      SELECT FROM users u JOIN password_resets r ON r.user_id = u.id WHERE r.token_hash = ${tokenHash}
      FOR NO KEY UPDATE OF u`;
    const [used] = await tx.$queryRaw<{ userId: UserId }[]>`
      DELETE FROM password_resets WHERE user_id = (
        SELECT user_id FROM password_resets WHERE token_hash = ${tokenHash} AND expires_at > now())
      RETURNING user_id AS "userId"`;
    if (!used) return null;
    const { userId } = used;
    const { email } = await tx.user.update({ where: { id: userId }, data: { passwordHash: newHash } });
    await markProved(tx, userId);
    const ended = await tx.$queryRaw<{ id: string }[]>`
      DELETE FROM sessions WHERE user_id = ${userId}::uuid RETURNING id`;
    const signedIn = await openLatest(tx, userId, { ...session, verifiedHash: newHash });
    const fact = { ...origin, actorId: userId, action: 'password.reset' } as const;
    await recordAccountAudit(tx, userId, fact, signedIn?.orgId ?? null);
    return { user: { id: userId, email }, signedIn, endedIds: ended.map(({ id }) => id) };
  };
  return retryDeadlocks(() => db.$transaction(run));
}

async function openLatest(
  tx: DbSession,
  userId: UserId,
  login: { id: string; expiresAt: Date; verifiedHash: string },
): Promise<Reset['signedIn']> {
  for (const { orgId } of await listMembershipsOf(tx, userId)) {
    const role = await openSession(tx, orgId, { ...login, userId });
    if (role) return { orgId, role };
  }
  return null;
}
