import { NOTICE_LIMITS, type OrgId, type Role, type UserId } from '@jobline/contracts';
import { Prisma } from '../generated/client.js';
import type { DbSession } from '../postgres/client.js';

/**
 * Who gets emails of the service, and how many. Postgres counts them, so that the limits are exact with any number of processes.
 * An address that was never proved may belong to a person who has no account.
 */

/** What people with an account are informed of. Tests of alerts count separately, so that they use up no alerts. */
export type NoticeKind = 'alert' | 'test' | 'webhook';

/** Something of which people must be informed. */
export interface Notice {
  id: string;
  orgId: OrgId;
  recipients: UserId[];
}

/** Lists the next notices that are due: one of each organization, in the order of the organizations' ids. */
export function nextNotices(table: 'alerts' | 'webhooks', after: OrgId, limit: number): Prisma.Sql {
  return Prisma.sql`
    SELECT DISTINCT ON (org_id) id FROM ${Prisma.raw(table)} WHERE is_mail_due AND org_id > ${after}::uuid
    ORDER BY org_id, id LIMIT ${limit}`;
}

/** SQL: the members to inform who have these roles. Those with a proved address first, then owners. */
export function recipientsOf(orgId: Prisma.Sql, roles: readonly Role[]): Prisma.Sql {
  return Prisma.sql`
    ARRAY(SELECT u.id::text FROM memberships m JOIN users u ON u.id = m.user_id
      WHERE m.org_id = ${orgId} AND m.role = ANY (${roles}::role[])
      ORDER BY u.proved_at IS NULL, m.role, u.email LIMIT ${NOTICE_LIMITS.recipients})`;
}

/**
 * Counts one more notice to a user. Returns the address; null, and nothing counted: it is not proved, or it got the notices of
 * this kind that are allowed a day.
 */
export async function countNotice(db: DbSession, userId: UserId, kind: NoticeKind): Promise<string | null> {
  const { perDay } = NOTICE_LIMITS;
  const mails = Prisma.raw(`${kind}_mails`);
  const [counted] = await db.$queryRaw<{ email: string }[]>`
    UPDATE users SET ${mails} = (${mails} || now()::timestamptz(3))[greatest(1, cardinality(${mails}) + 2 - ${perDay}::int):]
    WHERE id = ${userId}::uuid AND proved_at IS NOT NULL
      AND (cardinality(${mails}) < ${perDay}::int OR ${mails}[1] <= now() - interval '1 day')
    RETURNING email`;
  return counted?.email ?? null;
}

/**
 * Stores the token of a link that proves a user's address. Returns the address; null, and nothing done: the address is proved, or
 * a link was mailed within a day.
 */
export async function startProof(db: DbSession, userId: UserId, tokenHash: Uint8Array): Promise<string | null> {
  const [started] = await db.$queryRaw<{ email: string }[]>`
    UPDATE users SET proof_hash = ${tokenHash}, proof_mailed_at = now()
    WHERE id = ${userId}::uuid AND proved_at IS NULL
      AND (proof_mailed_at IS NULL OR proof_mailed_at <= now() - interval '1 day')
    RETURNING email`;
  return started?.email ?? null;
}

/** Removes a token that was not delivered, so that another link can be mailed. */
export async function cancelProof(db: DbSession, tokenHash: Uint8Array): Promise<void> {
  await db.$executeRaw`UPDATE users SET proof_hash = NULL, proof_mailed_at = NULL WHERE proof_hash = ${tokenHash}`;
}

/**
 * Proves a user's address with a mailed token, once. The token alone proves nothing: the owner of an address must not confirm an
 * account that another person created. False: the token is not valid, or it belongs to another user.
 */
export async function proveAddress(db: DbSession, userId: UserId, tokenHash: Uint8Array): Promise<boolean> {
  const proved = await db.$executeRaw`
    UPDATE users SET proved_at = coalesce(proved_at, now()), proof_hash = NULL
    WHERE id = ${userId}::uuid AND proof_hash = ${tokenHash}
      AND proof_mailed_at > now() - ${NOTICE_LIMITS.proofValidHours}::int * interval '1 hour'`;
  return proved > 0;
}
