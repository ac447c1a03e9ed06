import type { OrgId } from '@jobline/contracts';
import { Prisma } from '../generated/client.js';
import type { LimitedJob } from '../limits/limit-rules.js';
import type { DbSession } from '../postgres/client.js';

/**
 * The receivers of events that are known to be good: the latest attempt of each was accepted soon, or is the first slow one after such
 * an attempt. Rows are written only when this changes. `organizations.delivers_for` is the organization whose events it gets.
 */

/** How an attempt went. `slow` is noted while it runs. */
export type AttemptSpeed = 'soon' | 'slow' | 'failed';

/** Stores whether a receiver of an organization's events is good. One slow attempt is not enough to doubt it: this service may be slow. */
export async function noteReceiver(db: DbSession, orgId: OrgId, receiver: string, how: AttemptSpeed): Promise<void> {
  const known = Prisma.sql`org_id = (SELECT id FROM organizations WHERE delivers_for = ${orgId}::uuid) AND receiver = ${receiver}`;
  if (how === 'soon') {
    await db.$executeRaw`
      INSERT INTO good_receivers (org_id, receiver, since)
      SELECT id, ${receiver}, now() FROM organizations WHERE delivers_for = ${orgId}::uuid
      ON CONFLICT (org_id, receiver) DO UPDATE SET was_slow = false WHERE good_receivers.was_slow`;
  } else {
    await db.$executeRaw`
      WITH s AS (UPDATE good_receivers SET was_slow = true WHERE ${known} AND NOT was_slow AND ${how === 'slow'})
      DELETE FROM good_receivers WHERE ${known} AND (was_slow OR ${how === 'failed'})`;
  }
}

type ReceiverOfJob = Pick<LimitedJob, 'orgId' | 'limitKey'>;

/** Those of these receivers that are good. `orgId`: the organization of the deliveries. */
export function listGoodReceivers(db: DbSession, of: readonly ReceiverOfJob[]): Promise<ReceiverOfJob[]> {
  return db.$queryRaw<ReceiverOfJob[]>`
    SELECT DISTINCT g.org_id AS "orgId", g.receiver AS "limitKey"
    FROM unnest(${of.map(({ orgId }) => orgId)}::uuid[], ${of.map(({ limitKey }) => limitKey)}::text[]) AS n(org_id, receiver)
    JOIN good_receivers g ON g.org_id = n.org_id AND g.receiver = n.receiver`;
}

/** How many deliveries to receivers that are not known to be good each organization runs. Reads the running jobs. */
export function countCarefulDeliveries(db: DbSession, type: string): Promise<{ orgId: OrgId; running: number }[]> {
  return db.$queryRaw<{ orgId: OrgId; running: number }[]>`
    SELECT j.org_id AS "orgId", count(*)::int AS running FROM live_jobs j
    WHERE j.status = 'processing' AND j.type = ${type}
      AND NOT EXISTS (SELECT 1 FROM good_receivers g WHERE g.org_id = j.org_id AND g.receiver = j.limit_key)
    GROUP BY j.org_id`;
}

/** Deletes the rows of receivers that became good long ago, at most `limit`: the next attempt makes a new one. Returns how many. */
export function deleteOldReceivers(db: DbSession, { days, limit }: { days: number; limit: number }): Promise<number> {
  return db.$executeRaw`
    DELETE FROM good_receivers WHERE (org_id, receiver) IN (
      SELECT org_id, receiver FROM good_receivers WHERE since < now() - ${days}::int * interval '1 day'
      ORDER BY since LIMIT ${limit})`;
}
