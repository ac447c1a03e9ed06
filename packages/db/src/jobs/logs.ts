import type { LogKind, LogLevel, OrgId } from '@jobline/contracts';
import type { Db } from '../postgres/client.js';

export interface LogRow {
  /** Order of writing; the cursor for following a log. */
  id: bigint;
  attempt: number;
  kind: LogKind;
  level: LogLevel;
  /** The text of a handler's line or a note; for an entry that ends an attempt, its error or reason, or null. */
  message: string | null;
  at: Date;
  /** Duration of the attempt that the entry ends; null: it ends no attempt. */
  durationMs: number | null;
  nextAttemptAt: Date | null;
  errorCode: string | null;
}

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
