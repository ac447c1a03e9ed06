import type { OrgId } from '@jobline/contracts';
import type { JobLog } from '../generated/client.js';
import type { Db } from '../postgres/client.js';

/** An entry of a job's log. Its id is the cursor for following the log. */
export type LogRow = Pick<
  JobLog,
  'id' | 'attempt' | 'kind' | 'level' | 'message' | 'at' | 'durationMs' | 'nextAttemptAt' | 'errorCode'
>;

/** A page of a job's log in the order of writing, or null if the organization has no such job. */
export async function listLogs(
  db: Db,
  orgId: OrgId,
  id: string,
  options: { limit: number; after?: bigint | undefined },
): Promise<{ items: LogRow[]; more: boolean } | null> {
  const job = await db.job.findUnique({ where: { orgId_id: { orgId, id } }, select: { key: true } });
  if (!job) return null;
  const rows = await db.jobLog.findMany({
    where: { jobKey: job.key, ...(options.after !== undefined && { id: { gt: options.after } }) },
    orderBy: { id: 'asc' },
    take: options.limit + 1,
    select: {
      id: true,
      attempt: true,
      kind: true,
      level: true,
      message: true,
      at: true,
      durationMs: true,
      nextAttemptAt: true,
      errorCode: true,
    },
  });
  return { items: rows.slice(0, options.limit), more: rows.length > options.limit };
}
