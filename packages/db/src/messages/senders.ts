import type { OrgId, SenderIdStatus } from '@jobline/contracts';
import { type AuditOrigin, recordAudit } from '../accounts/audit.js';
import { type Domain, Prisma, type SenderId } from '../generated/client.js';
import type { Db, DbSession } from '../postgres/client.js';
import { isUniqueViolation } from '../postgres/errors.js';
import { byCreation, type Page, type PageRequest, readPage, toPage, upperBound } from '../postgres/page.js';

/** A domain that an organization sends email from once it is verified. */
export type DomainRow = Pick<Domain, 'id' | 'domain' | 'token' | 'verifiedAt' | 'createdAt'>;

/** Throws a unique violation if the organization already has that domain. */
export async function createDomain(
  db: DbSession,
  orgId: OrgId,
  domain: { domain: string; token: string },
): Promise<DomainRow> {
  return db.domain.create({ data: { ...domain, orgId }, omit: { orgId: true } });
}

export async function findDomain(db: DbSession, orgId: OrgId, id: string): Promise<DomainRow | null> {
  return db.domain.findFirst({ where: { orgId, id }, omit: { orgId: true } });
}

/** A page of an organization's domains, newest first. */
export function listDomains(db: DbSession, orgId: OrgId, page: PageRequest): Promise<Page<DomainRow>> {
  const select = Prisma.sql`
    SELECT id, domain, token, verified_at AS "verifiedAt", created_at AS "createdAt"
    FROM domains WHERE org_id = ${orgId}::uuid`;
  return readPage(db, page, select);
}

/**
 * Stores that the domain's DNS record was found now, unless it was found before. Null if the domain was removed
 * meanwhile.
 */
export async function verifyDomain(db: DbSession, orgId: OrgId, id: string): Promise<DomainRow | null> {
  const rows = await db.$queryRaw<DomainRow[]>`
    UPDATE domains SET verified_at = coalesce(verified_at, now()) WHERE org_id = ${orgId}::uuid AND id = ${id}::uuid
    RETURNING id, domain, token, verified_at AS "verifiedAt", created_at AS "createdAt"`;
  return rows[0] ?? null;
}

/** Whether the organization may send email from addresses of this domain, given in its normal spelling. */
export async function isDomainVerified(db: DbSession, orgId: OrgId, domain: string): Promise<boolean> {
  return (await db.domain.count({ where: { orgId, domain, verifiedAt: { not: null } } })) > 0;
}

/** A name or number that an organization may use as the sender of text messages, once it is approved. */
export type SenderIdRow = Pick<SenderId, 'id' | 'senderId' | 'status' | 'createdAt'>;

/**
 * Null, and nothing done, if another organization has the same one, compared without case, pending or approved. Throws
 * a unique violation if the organization itself has exactly that one. Call it in a transaction.
 */
export async function createSenderId(
  tx: DbSession,
  orgId: OrgId,
  { senderId, status }: { senderId: string; status: SenderIdStatus },
): Promise<SenderIdRow | null> {
  // The lock that the table's trigger takes too: of two simultaneous requests, the second sees the row of the first.
  await tx.$executeRaw`SELECT pg_advisory_xact_lock(hashtextextended('sender_id:' || lower(${senderId}), 0))`;
  const others = await tx.$queryRaw<unknown[]>`
    SELECT 1 FROM sender_ids WHERE lower(sender_id) = lower(${senderId}) AND org_id <> ${orgId}::uuid LIMIT 1`;
  if (others.length > 0) return null;
  return tx.senderId.create({ data: { senderId, status, orgId }, omit: { orgId: true } });
}

/** A page of an organization's sender ids, newest first. */
export function listSenderIds(db: DbSession, orgId: OrgId, page: PageRequest): Promise<Page<SenderIdRow>> {
  const select = Prisma.sql`
    SELECT id, sender_id AS "senderId", status::text AS status, created_at AS "createdAt"
    FROM sender_ids WHERE org_id = ${orgId}::uuid`;
  return readPage(db, page, select);
}

/** Whether the organization may send text messages with this sender. */
export async function isSenderIdRegistered(db: DbSession, orgId: OrgId, senderId: string): Promise<boolean> {
  return (await db.senderId.count({ where: { orgId, senderId, status: 'approved' } })) > 0;
}

/** Operations on the sender ids of every organization, for the operator. */

export interface OperatorSenderIdRow extends SenderIdRow {
  orgId: OrgId;
  orgName: string;
}

const SELECT_SENDER_ID = Prisma.sql`
  SELECT s.id, s.sender_id AS "senderId", s.status::text AS status, s.created_at AS "createdAt", s.org_id AS "orgId",
    o.name AS "orgName"
  FROM sender_ids s JOIN organizations o ON o.id = s.org_id`;

/** A page of all organizations' sender ids of one status, newest first. */
export async function listSenderIdsOfAll(
  db: DbSession,
  page: PageRequest & { status: SenderIdStatus },
): Promise<Page<OperatorSenderIdRow>> {
  const below = upperBound(page.cursor);
  const rows = await db.$queryRaw<OperatorSenderIdRow[]>`
    ${SELECT_SENDER_ID} WHERE s.status = ${page.status}::sender_id_status
      AND (s.created_at, s.id) < (${below.at}::timestamptz, ${below.id}::uuid)
    ORDER BY s.created_at DESC, s.id DESC LIMIT ${page.limit + 1}`;
  return toPage(rows, page.limit, byCreation);
}

/** The request of an operator has no user of the organization, and its IP address is not shown to the organization. */
export type OperatorOrigin = Pick<AuditOrigin, 'requestId'>;

const BY_OPERATOR = { actorId: null, ip: null, details: { by: 'operator' } } as const;

/** Approves a sender id. If it is approved already, nothing changes. `taken`: another organization has the same sender id. */
export async function approveSenderId(
  db: Db,
  id: string,
  { requestId }: OperatorOrigin,
): Promise<OperatorSenderIdRow | 'taken' | null> {
  try {
    return await db.$transaction(async (tx) => {
      const approved = await tx.$executeRaw`
        UPDATE sender_ids SET status = 'approved' WHERE id = ${id}::uuid AND status = 'pending'`;
      const [row] = await tx.$queryRaw<OperatorSenderIdRow[]>`
        ${SELECT_SENDER_ID} WHERE s.id = ${id}::uuid`;
      if (row && approved > 0) {
        const target = { id, name: row.senderId };
        await recordAudit(tx, row.orgId, { ...BY_OPERATOR, requestId, action: 'sender_id.approved', target });
      }
      return row ?? null;
    });
  } catch (error) {
    if (isUniqueViolation(error)) return 'taken';
    throw error;
  }
}

/** Removes a sender id from its organization. False: it does not exist. */
export async function rejectSenderId(db: Db, id: string, { requestId }: OperatorOrigin): Promise<boolean> {
  return db.$transaction(async (tx) => {
    const [row] = await tx.$queryRaw<{ orgId: OrgId; name: string }[]>`
      DELETE FROM sender_ids WHERE id = ${id}::uuid RETURNING org_id AS "orgId", sender_id AS name`;
    if (!row) return false;
    const target = { id, name: row.name };
    await recordAudit(tx, row.orgId, { ...BY_OPERATOR, requestId, action: 'sender_id.removed', target });
    return true;
  });
}
