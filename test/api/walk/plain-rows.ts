import type { OrgId } from '@jobline/contracts';
import type { Db } from '@jobline/db';

/** Stores rows in the tables of an organization that Prisma cannot write. `fresh` returns a unique text. */
export async function plantPlainRows(db: Db, orgId: OrgId, fresh: () => string): Promise<void> {
  await db.$executeRaw`INSERT INTO good_receivers (org_id, receiver, since) VALUES (${orgId}::uuid, ${fresh()}, now())`;
  await db.$executeRaw`INSERT INTO event_listeners (org_id, since, expires_at) VALUES (${orgId}::uuid, now(), now())`;
  await db.$executeRaw`
    INSERT INTO job_counts (org_id, step_minutes, at, type, status, n)
    VALUES (${orgId}::uuid, 180, '2020-01-01', ${fresh()}, 'done', 1)`;
  await db.$executeRaw`
    INSERT INTO failed_attempts (org_id, step_minutes, at, type, n) VALUES (${orgId}::uuid, 180, '2020-01-01', ${fresh()}, 1)`;
  await db.$executeRaw`
    INSERT INTO job_count_corrections (org_id, step_minutes, at, type, status, n)
    VALUES (${orgId}::uuid, 180, '2020-01-01', ${fresh()}, 'done', -1)`;
}
