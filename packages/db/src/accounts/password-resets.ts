import { type OrgId, RESET_VALID_MINUTES, type Role, type UserId } from '@jobline/contracts';
import type { Db, DbSession } from '../postgres/client.js';
import { retryDeadlocks } from '../postgres/errors.js';
import { type AuditOrigin, recordAccountAudit } from './audit.js';
import { listMembershipsOf } from './memberships.js';
import { openSession } from './sessions.js';
import { markProved } from './users.js';

/**
 * So many links of a user hold at once. More than one, so that a stranger who asks for another ends none that was mailed;
 * and no new one beyond, so that they cannot fill a mailbox either: those that were mailed hold.
 */
const MAX_OPEN = 5;

/**
 * Lets the holder of a token choose a new password for an hour. False, and nothing done, when as many others do already,
 * which simultaneous ones may exceed by as many as they are.
 */
export async function createReset(db: DbSession, userId: UserId, tokenHash: Uint8Array): Promise<boolean> {
  const made = await db.$executeRaw`
    INSERT INTO password_resets (token_hash, user_id, created_at, expires_at)
    SELECT ${tokenHash}, ${userId}::uuid, now(), now() + ${RESET_VALID_MINUTES}::int * interval '1 minute'
    WHERE ${MAX_OPEN}::int > (SELECT count(*) FROM password_resets WHERE user_id = ${userId}::uuid AND expires_at > now())`;
  return made > 0;
}

/** Takes back a token that reached nobody, so that it does not stand in the way of another. */
export async function deleteReset(db: DbSession, tokenHash: Uint8Array): Promise<void> {
  await db.$executeRaw`DELETE FROM password_resets WHERE token_hash = ${tokenHash}`;
}

/** Whether the token still lets its holder choose a password. */
export async function hasReset(db: DbSession, tokenHash: Uint8Array): Promise<boolean> {
  const rows = await db.$queryRaw<unknown[]>`
    SELECT 1 FROM password_resets WHERE token_hash = ${tokenHash} AND expires_at > now()`;
  return rows.length > 0;
}

export interface Reset {
  user: { id: UserId; email: string };
  /** Where the user is signed in by this: the organization they joined last; null: they belong to none. */
  signedIn: { orgId: OrgId; role: Role } | null;
  /** The sessions that it has ended: all that there were. */
  endedIds: string[];
}

/**
 * Uses a token up, and every other one of the user: sets the password, ends all their sessions and opens one. The account's
 * address is proved by it, because the token was only mailed. Null, and nothing done: it is worth nothing.
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
    // The user first, as whoever changes a password has it: two of them cannot wait for each other.
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

/** Deletes resets whose time is over, `limit` at most, the oldest first. Answers with how many. */
export function deleteExpiredResets(db: DbSession, limit: number): Promise<number> {
  return db.$executeRaw`
    DELETE FROM password_resets WHERE token_hash IN (
      SELECT token_hash FROM password_resets WHERE expires_at < now() ORDER BY expires_at LIMIT ${limit})`;
}
