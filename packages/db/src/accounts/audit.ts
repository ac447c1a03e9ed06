import type { AuditAction, AuditDetails, OrgId, UserId } from '@jobline/contracts';
import { newId } from '@jobline/runtime';
import type { AuditEntry } from '../generated/client.js';
import type { Db, DbSession } from '../postgres/client.js';
import { type Page, type PageRequest, toPage, upperBound } from '../postgres/page.js';
import { listMembershipsOf } from './team.js';

/** Who made a request, and from where. It is the same for everything that one request does. */
export interface AuditOrigin {
  /** Null: the request had no signed-in user. */
  actorId: UserId | null;
  ip: string | null;
  requestId: string | null;
}

/** One action. It must contain no secret: its readers are not the people who acted. */
export interface AuditFact extends AuditOrigin {
  action: AuditAction;
  target?: AuditTarget;
  details?: AuditDetails;
}

export interface AuditTarget {
  id: string;
  name: string;
}

export interface AuditRow
  extends AuditOrigin,
    Pick<AuditEntry, 'id' | 'at' | 'actorEmail' | 'targetId' | 'targetName'> {
  action: AuditAction;
  details: AuditDetails;
}

/** How many failed logins of an account are recorded per hour: password guessing must not fill the log. */
const FAILED_LOGINS_PER_HOUR = 10;

/** Records an action in an organization. Call it in the transaction of the action. */
export async function recordAudit(tx: DbSession, orgId: OrgId, fact: AuditFact): Promise<void> {
  await recordAuditOfEach(tx, orgId, fact, [fact.target ?? null]);
}

/** Records the same action on each of several targets, in one statement. */
export async function recordAuditOfEach(
  tx: DbSession,
  orgId: OrgId,
  fact: Omit<AuditFact, 'target'>,
  targets: (AuditTarget | null)[],
): Promise<void> {
  const { action, actorId, ip, requestId, details = {} } = fact;
  await tx.$executeRaw`
    INSERT INTO audit_entries (id, org_id, action, actor_id, actor_email, target_id, target_name, ip, request_id, details)
    SELECT t.entry_id, ${orgId}::uuid, ${action}, ${actorId}::uuid,
      (SELECT email FROM users WHERE id = ${actorId}::uuid), t.id, t.name, ${ip}, ${requestId}, ${JSON.stringify(details)}::jsonb
    FROM unnest(${targets.map(() => newId())}::uuid[], ${targets.map((target) => target?.id ?? null)}::uuid[],
      ${targets.map((target) => target?.name ?? null)}::text[]) AS t (entry_id, id, name)`;
}

/**
 * Records an action that concerns a user's account in every organization of the user. Only `here` learns the IP address
 * and request id. Call it in the transaction of the action.
 */
export async function recordAccountAudit(
  tx: DbSession,
  userId: UserId,
  fact: AuditFact,
  here: OrgId | null,
): Promise<void> {
  for (const { orgId } of await listMembershipsOf(tx, userId))
    await recordAudit(tx, orgId, seenFrom(orgId === here, fact));
}

function seenFrom(isHere: boolean, fact: AuditFact): AuditFact {
  return isHere ? fact : { ...fact, ip: null, requestId: null };
}

/** `orgId` is the organization that the login named, if it named one. */
export type FailedLogin = Omit<AuditOrigin, 'actorId'> & { orgId: string | undefined };

/**
 * Records a failed login: in the named organization if the user is a member, or, if none was named, in all of the
 * user's organizations. Only the organization that the login would have opened learns the origin. A limited number per
 * hour and organization is recorded; simultaneous logins may exceed it by their number.
 */
export async function recordFailedLogin(
  db: DbSession,
  user: { id: UserId; email: string },
  login: FailedLogin,
): Promise<void> {
  const orgs = await db.$queryRaw<{ orgId: OrgId; isHere: boolean }[]>`
    WITH meant AS (
      SELECT org_id, row_number() OVER (ORDER BY joined_at DESC, org_id DESC) = 1 AS is_here FROM memberships
      WHERE user_id = ${user.id}::uuid AND (${login.orgId ?? null}::uuid IS NULL OR org_id = ${login.orgId ?? null}::uuid)
    )
    SELECT org_id AS "orgId", is_here AS "isHere" FROM meant m
    WHERE ${FAILED_LOGINS_PER_HOUR}::int > (SELECT count(*) FROM audit_entries a
      WHERE a.org_id = m.org_id AND a.action = 'login.failed' AND a.target_id = ${user.id}::uuid
        AND a.at > now() - interval '1 hour')`;
  const { ip, requestId } = login;
  const target = { id: user.id, name: user.email };
  const fact: AuditFact = { action: 'login.failed', actorId: null, target, ip, requestId };
  for (const { orgId, isHere } of orgs) await recordAudit(db, orgId, seenFrom(isHere, fact));
}

/** A page of an organization's audit log, newest first. */
export async function listAudit(
  db: DbSession,
  orgId: OrgId,
  page: PageRequest & {
    action?: AuditAction | undefined;
    actorId?: string | undefined;
    createdAfter?: Date | undefined;
    createdBefore?: Date | undefined;
  },
): Promise<Page<AuditRow>> {
  const { limit, action = null, actorId = null } = page;
  const after = page.createdAfter?.toISOString() ?? '-infinity';
  const below = upperBound(page.cursor, page.createdBefore);
  const rows = await db.$queryRaw<AuditRow[]>`
    SELECT id, at, action, actor_id AS "actorId", actor_email AS "actorEmail", target_id AS "targetId",
      target_name AS "targetName", ip, request_id AS "requestId", details
    FROM audit_entries
    WHERE org_id = ${orgId}::uuid AND at >= ${after}::timestamptz AND (at, id) < (${below.at}::timestamptz, ${below.id}::uuid)
      AND (${action}::text IS NULL OR action = ${action}) AND (${actorId}::uuid IS NULL OR actor_id = ${actorId}::uuid)
    ORDER BY at DESC, id DESC LIMIT ${limit + 1}`;
  return toPage(rows, limit, (row) => ({ createdAt: row.at, id: row.id }));
}

/**
 * Whether the role of this connection could change the audit log: as the owner of its table, because an owner may drop
 * the trigger that guards it, or by privileges that the apps do not need.
 */
export async function mayRewriteAudit(db: Db): Promise<boolean> {
  const [row] = await db.$queryRaw<{ may_rewrite: boolean }[]>`
    SELECT pg_has_role(current_user, relowner, 'USAGE') OR has_table_privilege(oid, 'UPDATE, TRUNCATE, TRIGGER') AS may_rewrite
    FROM pg_class WHERE oid = to_regclass('audit_entries')`;
  return row?.may_rewrite ?? false;
}
