import type { OrgId, SenderIdStatus } from '@jobline/contracts';
import { type AuditOrigin, recordAudit } from '../accounts/audit.js';
import { Prisma } from '../generated/client.js';
import type { Db, DbSession } from '../postgres/client.js';
import { isUniqueViolation } from '../postgres/errors.js';
import { byCreation, type Page, type PageRequest, toPage, upperBound } from '../postgres/page.js';
import type { SenderIdRow } from './sender-ids.js';

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
