import type { OrgId, Role, UserId } from '@jobline/contracts';
import type { Db, DbSession } from '../postgres/client.js';
import { type AuditOrigin, recordAccountAudit, recordAudit } from './audit.js';
import { findInvite, type HeldInvite, joinByInvite, revokeInvitesOf } from './invites.js';
import { changeTeams } from './team.js';
import { markProved } from './users.js';

/**
 * Invites that are sent by email. The inviter sees a link too, so only the mailed token proves that its holder reads
 * the address's mail.
 */

/** The data for the email of an invite. */
export interface MailedInvite {
  email: string;
  /** Whether the address has an account whose address was never proved. */
  isUnproved: boolean;
}

/**
 * Gives a pending invite the token that will be mailed. Null, and nothing done: the invite no longer exists or is not
 * pending.
 */
export async function setMailToken(
  db: DbSession,
  orgId: OrgId,
  inviteId: string,
  tokenHash: Uint8Array,
): Promise<MailedInvite | null> {
  const rows = await db.$queryRaw<MailedInvite[]>`
    UPDATE invites i SET mail_token_hash = ${tokenHash}
    WHERE i.id = ${inviteId}::uuid AND i.org_id = ${orgId}::uuid AND i.consumed_at IS NULL AND i.expires_at > now()
    RETURNING i.email,
      EXISTS (SELECT FROM users u WHERE u.email = i.email AND u.proved_at IS NULL) AS "isUnproved"`;
  return rows[0] ?? null;
}

/** Removes a token that was not delivered. */
export async function clearMailToken(db: DbSession, tokenHash: Uint8Array): Promise<void> {
  await db.$executeRaw`UPDATE invites SET mail_token_hash = NULL WHERE mail_token_hash = ${tokenHash}`;
}

/**
 * An account that the holder of a mailed invite may take over: the account of the invited address, never proved to
 * belong to its owner.
 */
export interface Claim {
  invite: HeldInvite;
  userId: UserId;
}

/** Null: the token was not mailed, its invite cannot be accepted, or its address has no account or a proved one. */
export async function findClaim(db: DbSession, tokenHash: Uint8Array): Promise<Claim | null> {
  const invite = await findInvite(db, tokenHash);
  if (!invite?.isMailed || invite.state !== 'pending') return null;
  const user = await db.user.findFirst({ where: { email: invite.email }, select: { id: true, provedAt: true } });
  // The cast: the column holds users' ids.
  return user && user.provedAt === null ? { invite, userId: user.id as UserId } : null;
}

export interface Claimed {
  user: { id: UserId; email: string };
  orgId: OrgId;
  role: Role;
  /** The sessions that were ended: all sessions of the account. */
  endedIds: string[];
}

/**
 * Gives an account to the owner of its address, who holds a mailed invite. It proves the address, sets the password,
 * and removes what another person may have set up with the account: its sessions, its other links and its memberships.
 * If the account is the only owner of an organization, it stays the owner, because every organization must have one.
 * Then the account joins by the invite and is signed in. It has all effects or none; null: there is no account to claim
 * any more.
 */
export async function claimAccount(
  db: Db,
  claim: Claim,
  change: {
    tokenHash: Uint8Array;
    newHash: string;
    session: { id: string; expiresAt: Date };
    origin: AuditOrigin;
  },
): Promise<Claimed | null> {
  const { tokenHash, newHash, session, origin } = change;
  const { userId } = claim;
  const { orgId, email } = claim.invite;
  const memberships = await db.membership.findMany({ where: { userId }, select: { orgId: true } });
  // The casts: the column contains ids of organizations.
  const others = memberships.map((membership) => membership.orgId as OrgId).filter((id) => id !== orgId);
  return changeTeams(db, [orgId, ...others], async (tx) => {
    // Checked again after the locks were taken: another use of the link may have come first.
    await tx.$executeRaw`SELECT FROM users WHERE id = ${userId}::uuid FOR NO KEY UPDATE`;
    const held = await findClaim(tx, tokenHash);
    if (held?.userId !== userId) return null;
    await tx.user.update({ where: { id: userId }, data: { passwordHash: newHash } });
    await markProved(tx, userId);
    await tx.passwordReset.deleteMany({ where: { userId } });
    const ended = await tx.$queryRaw<{ id: string }[]>`
      DELETE FROM sessions WHERE user_id = ${userId}::uuid RETURNING id`;
    for (const other of others) await leave(tx, other, { userId, email });
    const role = await joinByInvite(tx, held.invite, { userId, session, origin });
    await recordAccountAudit(tx, userId, { ...origin, actorId: userId, action: 'password.reset' }, orgId);
    return { user: { id: userId, email }, orgId, role, endedIds: ended.map(({ id }) => id) };
  });
}

/**
 * Ends a membership, unless the user is the organization's only owner. The audit entry has no IP address and no request
 * id, because the request belongs to another organization.
 */
async function leave(tx: DbSession, orgId: OrgId, user: { userId: UserId; email: string }): Promise<void> {
  const { userId, email } = user;
  const membership = await tx.membership.findFirst({ where: { orgId, userId } });
  if (!membership) return;
  const isOwner = membership.role === 'owner';
  if (isOwner && (await tx.membership.count({ where: { orgId, role: 'owner' } })) === 1) return;
  await tx.membership.delete({ where: { orgId_userId: { orgId, userId } } });
  const origin: AuditOrigin = { actorId: userId, ip: null, requestId: null };
  const target = { id: userId, name: email };
  await recordAudit(tx, orgId, { ...origin, action: 'member.removed', target, details: { role: membership.role } });
  await revokeInvitesOf(tx, orgId, userId, origin);
}
