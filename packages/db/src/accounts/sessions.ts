import type { OrgId, Role, UserId } from '@jobline/contracts';
import type { DbSession } from '../postgres/client.js';

export interface SessionRow {
  userId: UserId;
  orgId: OrgId;
  /** The member's current role. */
  role: Role;
}

/**
 * A session that has not expired, of a user who is still a member; else null. It is one statement: between two, the
 * membership could be deleted.
 */
export async function findSession(db: DbSession, id: string): Promise<SessionRow | null> {
  const rows = await db.$queryRaw<SessionRow[]>`
    SELECT s.user_id AS "userId", s.org_id AS "orgId", m.role
    FROM sessions s JOIN memberships m ON m.org_id = s.org_id AND m.user_id = s.user_id
    WHERE s.id = ${id}::uuid AND s.expires_at > now()`;
  return rows[0] ?? null;
}

export interface NewSession {
  id: string;
  expiresAt: Date;
}

/**
 * Opens a session for a verified password. Null, and nothing done, if that password or the membership no longer exists:
 * a login that began before a password change must not survive it.
 */
export async function openSession(
  db: DbSession,
  orgId: OrgId,
  login: NewSession & { userId: UserId; verifiedHash: string },
): Promise<Role | null> {
  const rows = await db.$queryRaw<{ role: Role }[]>`
    WITH member AS (
      SELECT m.org_id, m.user_id, m.role FROM memberships m JOIN users u ON u.id = m.user_id
      WHERE m.org_id = ${orgId}::uuid AND m.user_id = ${login.userId}::uuid AND u.password_hash = ${login.verifiedHash}
      FOR SHARE
    ), opened AS (
      INSERT INTO sessions (id, user_id, org_id, expires_at)
      SELECT ${login.id}::uuid, user_id, org_id, ${login.expiresAt.toISOString()}::timestamptz FROM member
    )
    SELECT role FROM member`;
  return rows[0]?.role ?? null;
}

/**
 * Opens a session of a signed-in user in another organization. It expires no later than the session that it was opened
 * from. Null if the user is not a member, or no longer signed in. Call it in a transaction.
 */
export async function openSessionFrom(
  tx: DbSession,
  orgId: OrgId,
  opened: NewSession & { userId: UserId; fromSessionId: string },
): Promise<{ role: Role; expiresAt: Date } | null> {
  // Locks the user first, as a password change does. Otherwise the change would neither see nor end this session.
  await tx.$executeRaw`SELECT FROM users WHERE id = ${opened.userId}::uuid FOR SHARE`;
  const rows = await tx.$queryRaw<{ role: Role; expiresAt: Date }[]>`
    WITH member AS (
      SELECT m.org_id, m.user_id, m.role, s.expires_at FROM memberships m JOIN sessions s ON s.user_id = m.user_id
      WHERE m.org_id = ${orgId}::uuid AND s.id = ${opened.fromSessionId}::uuid
      FOR SHARE
    ), opened AS (
      INSERT INTO sessions (id, user_id, org_id, expires_at)
      SELECT ${opened.id}::uuid, user_id, org_id, least(expires_at, ${opened.expiresAt.toISOString()}::timestamptz) FROM member
      RETURNING expires_at
    )
    SELECT role, opened.expires_at AS "expiresAt" FROM member, opened`;
  return rows[0] ?? null;
}

/** False: no such session exists. */
export async function deleteSession(db: DbSession, id: string): Promise<boolean> {
  return (await db.session.deleteMany({ where: { id } })).count > 0;
}
