import type { OrgId, Role, UserId } from '@jobline/contracts';
import type { Db, DbSession } from '../postgres/client.js';
import { type Page, type PageRequest, toPage, upperBound } from '../postgres/page.js';
import { type AuditOrigin, recordAudit } from './audit.js';
import { revokeInvitesOf } from './invites.js';
import { changeTeam, roleOf } from './team.js';

export interface MemberRow {
  userId: UserId;
  email: string;
  role: Role;
  joinedAt: Date;
  /** Whether a link that was mailed to the address was used. */
  isProved: boolean;
}

/** Why a member was not changed. `not_owner`: the requester is no longer an owner. */
export type MemberChangeFailure = 'not_found' | 'last_owner' | 'not_owner';

/** A page of an organization's members, the latest to join first. */
export async function listMembers(db: DbSession, orgId: OrgId, page: PageRequest): Promise<Page<MemberRow>> {
  const below = upperBound(page.cursor);
  const rows = await db.$queryRaw<MemberRow[]>`
    SELECT m.user_id AS "userId", u.email, m.role, m.joined_at AS "joinedAt", u.proved_at IS NOT NULL AS "isProved"
    FROM memberships m JOIN users u ON u.id = m.user_id
    WHERE m.org_id = ${orgId}::uuid AND (m.joined_at, m.user_id) < (${below.at}::timestamptz, ${below.id}::uuid)
    ORDER BY m.joined_at DESC, m.user_id DESC LIMIT ${page.limit + 1}`;
  return toPage(rows, page.limit, (row) => ({ createdAt: row.joinedAt, id: row.userId }));
}

/**
 * Gives a member another role. Invites issued by a member who is not an owner afterwards are revoked. Also returns the
 * ids of the member's sessions, whose rights change from now on.
 */
export async function changeRole(
  db: Db,
  orgId: OrgId,
  userId: string,
  change: { role: Role; origin: AuditOrigin },
): Promise<{ member: MemberRow; sessionIds: string[] } | MemberChangeFailure> {
  const { role, origin } = change;
  return changeTeam(db, orgId, async (tx) => {
    const member = await findForChange(tx, orgId, userId, { becomes: role, origin });
    if (typeof member === 'string') return member;
    if (member.role === role) return { member, sessionIds: [] };
    await tx.membership.update({ where: { orgId_userId: { orgId, userId } }, data: { role } });
    const sessions = await tx.session.findMany({ where: { orgId, userId }, select: { id: true } });
    await recordAudit(tx, orgId, {
      ...origin,
      action: 'member.role_changed',
      target: { id: userId, name: member.email },
      details: { from: member.role, to: role },
    });
    if (role !== 'owner') await revokeInvitesOf(tx, orgId, userId, origin);
    return { member: { ...member, role }, sessionIds: sessions.map(({ id }) => id) };
  });
}

/**
 * Removes a member, ends their sessions in this organization and returns the sessions' ids, and revokes the invites
 * that they issued. API keys that they created belong to the organization and stay.
 */
export async function removeMember(
  db: Db,
  orgId: OrgId,
  userId: string,
  origin: AuditOrigin,
): Promise<{ sessionIds: string[] } | MemberChangeFailure> {
  return changeTeam(db, orgId, async (tx) => {
    const member = await findForChange(tx, orgId, userId, { becomes: null, origin });
    if (typeof member === 'string') return member;
    // Sessions are not left to the cascade of the membership, because their ids are needed.
    const sessions = await tx.$queryRaw<{ id: string }[]>`
      DELETE FROM sessions WHERE org_id = ${orgId}::uuid AND user_id = ${userId}::uuid RETURNING id`;
    await tx.membership.delete({ where: { orgId_userId: { orgId, userId } } });
    const target = { id: userId, name: member.email };
    await recordAudit(tx, orgId, { ...origin, action: 'member.removed', target, details: { role: member.role } });
    await revokeInvitesOf(tx, orgId, userId, origin);
    return { sessionIds: sessions.map(({ id }) => id) };
  });
}

/**
 * The member, locked so that no session of theirs opens meanwhile, or why they may not get that role. `becomes: null`
 * means removal.
 */
async function findForChange(
  tx: DbSession,
  orgId: OrgId,
  userId: string,
  { becomes, origin }: { becomes: Role | null; origin: AuditOrigin },
): Promise<MemberRow | MemberChangeFailure> {
  const [member] = await tx.$queryRaw<MemberRow[]>`
    SELECT m.user_id AS "userId", u.email, m.role, m.joined_at AS "joinedAt", u.proved_at IS NOT NULL AS "isProved"
    FROM memberships m JOIN users u ON u.id = m.user_id
    WHERE m.org_id = ${orgId}::uuid AND m.user_id = ${userId}::uuid FOR UPDATE OF m`;
  if (member?.role === 'owner' && becomes !== 'owner') {
    const owners = await tx.membership.count({ where: { orgId, role: 'owner' } });
    if (owners === 1) return 'last_owner';
  }
  // Checked again inside the transaction: the owner may have lost the role since the request was authorized.
  if ((await roleOf(tx, orgId, origin.actorId)) !== 'owner') return 'not_owner';
  return member ?? 'not_found';
}
