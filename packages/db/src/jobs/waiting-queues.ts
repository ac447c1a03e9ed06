import { Prisma } from '../generated/client.js';
import type { DbSession } from '../postgres/client.js';

/** The highest number of queues that are found by their waiting jobs. Workers choose their names, so there are few. */
export const MAX_QUEUES = 100;

/**
 * SQL: a CTE with the first queues, by name, for which jobs wait in Postgres: of those that a worker has published, and of the
 * built-in ones, which have jobs before the first worker starts. One index probe each. Parked jobs are in none of them.
 */
export const WAITING_QUEUES = Prisma.sql`waiting_queues(queue) AS (
      SELECT queue FROM (SELECT queue FROM job_types UNION VALUES ('io'), ('cpu'), ('browser'), ('events')) AS named
      WHERE EXISTS (SELECT 1 FROM live_jobs
        WHERE status = 'pending' AND place = 'waiting' AND live_jobs.queue = named.queue)
      ORDER BY queue LIMIT ${Prisma.raw(`${MAX_QUEUES}`)})`;

export async function findWaitingQueues(db: DbSession): Promise<string[]> {
  const rows = await db.$queryRaw<{ queue: string }[]>`WITH ${WAITING_QUEUES} SELECT queue FROM waiting_queues`;
  return rows.map(({ queue }) => queue);
}
