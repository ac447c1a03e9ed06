import type { OrgId, Role, UserId } from '@jobline/contracts';
import type { Db, DbSession } from '../postgres/client.js';
import { type AuditOrigin, recordAccountAudit, recordAudit } from './audit.js';
import { findInvite, type HeldInvite, joinByInvite, revokeInvitesOf } from './invites.js';
import { changeTeams } from './team.js';
import { markProved } from './users.js';

/**
 * Invites that are mailed. The inviter is shown a link, too, so only the token that was mailed, and nothing else, proves
 * that its holder reads the address's mail.
 */

/** What is to be said in the mail of an invite. */
export interface MailedInvite {
  email: string;
  /** Whether the address has an account that nobody has proved to be its owner's. */
  isUnproved: boolean;
}

/** Gives a pending invite the token that will be mailed. Null, and nothing done: there is no such invite any more. */
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

/** Takes back a token that reached nobody. */
export async function clearMailToken(db: DbSession, tokenHash: Uint8Array): Promise<void> {
  await db.$executeRaw`UPDATE invites SET mail_token_hash = NULL WHERE mail_token_hash = ${tokenHash}`;
}

/** An account that the holder of a mailed invite may take over: that of its address, which nobody has proved to be theirs. */
export interface Claim {
  invite: HeldInvite;
  userId: UserId;
}

/** Null: the token was not mailed, its invite cannot be accepted, or its address has no account, or one that is proved. */
export async function findClaim(db: DbSession, tokenHash: Uint8Array): Promise<Claim | null> {
  const invite = await findInvite(db, tokenHash);
  if (!invite?.isMailed || invite.state !== 'pending') return null;
  const user = await db.user.findUnique({ where: { email: invite.email }, select: { id: true, provedAt: true } });
  // The cast: the column holds users' ids.
  return user && user.provedAt === null ? { invite, userId: user.id as UserId } : null;
}

export interface Claimed {
  user: { id: UserId; email: string };
  orgId: OrgId;
  role: Role;
  /** The sessions that it has ended: all that there were. */
  endedIds: string[];
}

/**
 * Gives an account to the owner of its address, who holds a mailed invite: proves it, sets its password, and ends what
 * somebody else may have set up with it, which is its sessions, its other links and its memberships. Of an organization
 * whose only owner it is, it stays the owner: somebody must be. Then it joins by the invite, signed in. All of it or
 * nothing; null: there is nothing to be claimed any more.
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
  // The casts: the column holds organizations' ids.
  const others = memberships.map((membership) => membership.orgId as OrgId).filter((id) => id !== orgId);
  return changeTeams(db, [orgId, ...others], async (tx) => {
    // Asked again here, after the locks: another use of the link may have come first.
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

/** Ends a membership, unless nobody else owns the organization. It is not told from where: that is another's affair. */
async function leave(tx: DbSession, orgId: OrgId, user: { userId: UserId; email: string }): Promise<void> {
  const { userId, email } = user;
  const membership = await tx.membership.findUnique({ where: { orgId_userId: { orgId, userId } } });
  if (!membership) return;
  const isOwner = membership.role === 'owner';
  if (isOwner && (await tx.membership.count({ where: { orgId, role: 'owner' } })) === 1) return;
  await tx.membership.delete({ where: { orgId_userId: { orgId, userId } } });
  const origin: AuditOrigin = { actorId: userId, ip: null, requestId: null };
  const target = { id: userId, name: email };
  await recordAudit(tx, orgId, { ...origin, action: 'member.removed', target, details: { role: membership.role } });
  await revokeInvitesOf(tx, orgId, userId, origin);
}
