import {
  INVITE_VALID_HOURS,
  type InvitedRole,
  MAX_PENDING_INVITES,
  type OrgId,
  type Role,
  type UserId,
} from '@jobline/contracts';
import { type Invite, Prisma } from '../generated/client.js';
import type { Db, DbSession } from '../postgres/client.js';
import { type Page, type PageRequest, readPage } from '../postgres/page.js';
import { type AuditOrigin, type AuditTarget, recordAudit, recordAuditOfEach } from './audit.js';
import { changeTeam, roleOf } from './team.js';
import { markProved } from './users.js';

export interface InviteRow extends Pick<Invite, 'id' | 'email' | 'createdAt' | 'expiresAt' | 'invitedBy'> {
  role: InvitedRole;
}

/** An invite as the holder of its link sees it. */
export interface HeldInvite {
  id: string;
  orgId: OrgId;
  orgName: string;
  email: string;
  role: InvitedRole;
  expiresAt: Date;
  state: InviteState;
  /** Whether the token is the one that was mailed: only a reader of the address's mail has it. */
  isMailed: boolean;
}

export type InviteState = 'pending' | 'expired' | 'consumed';

/**
 * Creates an invite and replaces a pending one for the same address. Does nothing if the address belongs to a member.
 */
export async function createInvite(
  db: Db,
  orgId: OrgId,
  invite: { id: string; email: string; role: InvitedRole; tokenHash: Uint8Array; origin: AuditOrigin },
): Promise<InviteRow | 'already_member' | 'too_many' | 'not_owner'> {
  const { id, email, role, tokenHash, origin } = invite;
  return changeTeam(db, orgId, async (tx) => {
    // Checked again inside the transaction: the invites of a removed owner are revoked, so none may be created after
    // that.
    if ((await roleOf(tx, orgId, origin.actorId)) !== 'owner') return 'not_owner';
    if ((await tx.membership.count({ where: { orgId, user: { email } } })) > 0) return 'already_member';
    const [{ others }] = await tx.$queryRaw<[{ others: number }]>`
      SELECT count(*)::int AS others FROM invites
      WHERE org_id = ${orgId}::uuid AND email <> ${email} AND consumed_at IS NULL AND expires_at > now()`;
    if (others >= MAX_PENDING_INVITES) return 'too_many';
    const [row] = await tx.$queryRaw<[InviteRow]>`
      INSERT INTO invites (id, org_id, email, role, token_hash, invited_by, created_at, expires_at)
      VALUES (${id}::uuid, ${orgId}::uuid, ${email}, ${role}::role, ${tokenHash}, ${origin.actorId}::uuid,
        now(), now() + ${INVITE_VALID_HOURS}::int * interval '1 hour')
      ON CONFLICT (org_id, email) WHERE consumed_at IS NULL DO UPDATE SET
        id = EXCLUDED.id, role = EXCLUDED.role, token_hash = EXCLUDED.token_hash, mail_token_hash = NULL,
        invited_by = EXCLUDED.invited_by,
        created_at = EXCLUDED.created_at, expires_at = EXCLUDED.expires_at
      RETURNING id, email, role, created_at AS "createdAt", expires_at AS "expiresAt", invited_by AS "invitedBy"`;
    await recordAudit(tx, orgId, {
      ...origin,
      action: 'member.invited',
      target: { id, name: email },
      details: { role },
    });
    return row;
  });
}

/** A page of an organization's pending invites, newest first. */
export function listInvites(db: DbSession, orgId: OrgId, page: PageRequest): Promise<Page<InviteRow>> {
  const select = Prisma.sql`
    SELECT id, email, role, created_at AS "createdAt", expires_at AS "expiresAt", invited_by AS "invitedBy"
    FROM invites
    WHERE org_id = ${orgId}::uuid
      AND consumed_at IS NULL AND expires_at > now()`;
  return readPage(db, page, select);
}

/** Revokes a pending invite. False: the organization has no such invite. */
export async function revokeInvite(db: Db, orgId: OrgId, id: string, origin: AuditOrigin): Promise<boolean> {
  return changeTeam(db, orgId, async (tx) => {
    const rows = await tx.$queryRaw<AuditTarget[]>`
      DELETE FROM invites
      WHERE org_id = ${orgId}::uuid AND id = ${id}::uuid AND consumed_at IS NULL AND expires_at > now()
      RETURNING id, email AS name`;
    await recordAuditOfEach(tx, orgId, { ...origin, action: 'invite.revoked' }, rows);
    return rows.length > 0;
  });
}

/** Revokes the pending invites that a user has issued in an organization. Call it within changeTeam. */
export async function revokeInvitesOf(tx: DbSession, orgId: OrgId, userId: string, origin: AuditOrigin): Promise<void> {
  const rows = await tx.$queryRaw<AuditTarget[]>`
    DELETE FROM invites
    WHERE org_id = ${orgId}::uuid AND invited_by = ${userId}::uuid AND consumed_at IS NULL AND expires_at > now()
    RETURNING id, email AS name`;
  await recordAuditOfEach(tx, orgId, { ...origin, action: 'invite.revoked' }, rows);
}

/**
 * The invite of a token, or null. Its state is computed for the time of this statement, not for the start of the
 * transaction, because the transaction may have waited for a lock.
 */
export async function findInvite(db: DbSession, tokenHash: Uint8Array): Promise<HeldInvite | null> {
  const rows = await db.$queryRaw<HeldInvite[]>`
    SELECT i.id, i.org_id AS "orgId", o.name AS "orgName", i.email, i.role, i.expires_at AS "expiresAt",
      CASE WHEN i.consumed_at IS NOT NULL THEN 'consumed' WHEN i.expires_at <= statement_timestamp() THEN 'expired'
        ELSE 'pending' END AS state,
      coalesce(i.mail_token_hash = ${tokenHash}, false) AS "isMailed"
    FROM invites i JOIN organizations o ON o.id = i.org_id
    WHERE i.token_hash = ${tokenHash} OR i.mail_token_hash = ${tokenHash}`;
  return rows[0] ?? null;
}

/** The account that accepts: a new one, or an existing one whose password was verified. */
export type Acceptor =
  | { kind: 'new'; id: UserId; passwordHash: string }
  | { kind: 'known'; id: UserId; verifiedHash: string };

export interface Acceptance {
  tokenHash: Uint8Array;
  acceptor: Acceptor;
  session: { id: string; expiresAt: Date };
  origin: AuditOrigin;
}

/**
 * Makes the acceptor a member and signs them in; returns their role. It has all effects or none: of simultaneous
 * acceptances one succeeds, and the others find the invite consumed. An existing account keeps its password, whatever
 * the token. A mailed token proves the account's address. `account_changed`: the address has an account by now, or the
 * account's password is no longer the one that was verified.
 */
export async function acceptInvite(
  db: Db,
  orgId: OrgId,
  { tokenHash, acceptor, session, origin }: Acceptance,
): Promise<{ role: Role } | Exclude<InviteState, 'pending'> | 'unknown' | 'account_changed'> {
  return changeTeam(db, orgId, async (tx) => {
    const invite = await findInvite(tx, tokenHash);
    if (!invite || invite.orgId !== orgId) return 'unknown';
    if (invite.state !== 'pending') return invite.state;
    if (!(await holdAccount(tx, invite.email, acceptor))) return 'account_changed';
    const userId = acceptor.id;
    if (invite.isMailed) await markProved(tx, userId);
    return { role: await joinByInvite(tx, invite, { userId, session, origin }) };
  });
}

/**
 * Consumes an invite: its user becomes a member and is signed in. Returns the user's role. Call it within changeTeam.
 */
export async function joinByInvite(
  tx: DbSession,
  invite: HeldInvite,
  { userId, session, origin }: Pick<Acceptance, 'session' | 'origin'> & { userId: UserId },
): Promise<Role> {
  const { orgId } = invite;
  await tx.$executeRaw`UPDATE invites SET consumed_at = now() WHERE id = ${invite.id}::uuid`;
  // An existing member keeps their role.
  await tx.membership.createMany({ data: [{ orgId, userId, role: invite.role }], skipDuplicates: true });
  const role = (await roleOf(tx, orgId, userId)) ?? invite.role;
  await tx.session.create({ data: { ...session, orgId, userId } });
  const target = { id: invite.id, name: invite.email };
  await recordAudit(tx, orgId, { ...origin, actorId: userId, action: 'invite.accepted', target, details: { role } });
  return role;
}

/**
 * Creates the account, or locks the existing one. False: the account differs from what the acceptor expects, and
 * nothing was done.
 */
async function holdAccount(tx: DbSession, email: string, acceptor: Acceptor): Promise<boolean> {
  if (acceptor.kind === 'new') {
    const { id, passwordHash } = acceptor;
    // Waits for a concurrent registration of the same address, and then creates none.
    return (await tx.user.createMany({ data: [{ id, email, passwordHash }], skipDuplicates: true })).count > 0;
  }
  const held = await tx.$queryRaw<unknown[]>`
    SELECT 1 FROM users WHERE id = ${acceptor.id}::uuid AND email = ${email}
      AND password_hash = ${acceptor.verifiedHash} FOR SHARE`;
  return held.length > 0;
}
