import type { LogLevel, OrgId } from '@jobline/contracts';
import type { Db } from './client.js';

export interface LogRow {
  /** Order of writing; the cursor of tailing. */
  id: bigint;
  attempt: number;
  level: LogLevel;
  message: string;
  at: Date;
}

/** A page of a job's log in the order it was written, or null if the organization has no such job. */
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
    select: { id: true, attempt: true, level: true, message: true, at: true },
  });
  return { items: rows.slice(0, options.limit), more: rows.length > options.limit };
}
