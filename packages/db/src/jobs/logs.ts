import { type AttemptOutcome, attemptOutcomeOf, type JobStatus, type OrgId } from '@jobline/contracts';
import type { JobLog } from '../generated/client.js';
import type { Db } from '../postgres/client.js';
import { isRedacted } from './redaction.js';

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
  const job = await db.job.findFirst({ where: { orgId, id }, select: { key: true } });
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

/** One attempt of a job. `durationMs` is null while it runs, or if its end could not be stored in the log. */
export interface AttemptRow {
  attempt: number;
  startedAt: Date;
  durationMs: number | null;
  outcome: AttemptOutcome;
  errorCode: string | null;
  errorMessage: string | null;
  /** Null: its worker has no version. */
  worker: { name: string; version: string } | null;
  /** Null: none was thrown by a custom handler, it is not shown, or it was redacted. */
  errorStack: string | null;
}

export interface AttemptPage {
  items: AttemptRow[];
  /** The `after` of the next page; null: there is none. */
  next: bigint | null;
}

/** Log entries that one page reads, those of handlers included: many times what one attempt can write. */
const MAX_ENTRIES_PER_PAGE = 20_000;

/** `durationMs` is null if the entry starts the attempt. */
type EntryRow = Pick<
  JobLog,
  'id' | 'attempt' | 'kind' | 'at' | 'durationMs' | 'errorCode' | 'message' | 'stack' | 'workerName' | 'workerVersion'
>;

/**
 * A page of a job's attempts, oldest first, or null if the organization has no such job. The log has one entry that
 * starts an attempt and one that ends it; an attempt of a job without a handler has only the second. `after` is the
 * `next` of the previous page. A redacted job shows no stacks.
 */
export async function listAttempts(
  db: Db,
  orgId: OrgId,
  id: string,
  { limit, after, withStacks = false }: { limit: number; after?: bigint | undefined; withStacks?: boolean },
): Promise<AttemptPage | null> {
  const job = await db.job.findFirst({
    where: { orgId, id },
    select: { key: true, status: true, attempt: true },
  });
  if (!job) return null;
  const cut = await findCut(db, job.key, after ?? 0n);
  const stored: EntryRow[] = await db.jobLog.findMany({
    where: {
      jobKey: job.key,
      id: { gt: after ?? 0n, ...(cut !== null && { lt: cut }) },
      OR: [{ kind: 'started' }, { durationMs: { not: null } }],
    },
    orderBy: { id: 'asc' },
    // At most two entries per attempt, and one more to see whether another attempt follows.
    take: 2 * limit + 1,
    select: {
      id: true,
      attempt: true,
      kind: true,
      at: true,
      durationMs: true,
      errorCode: true,
      message: true,
      workerName: true,
      workerVersion: true,
      stack: true,
    },
  });
  // The redaction is looked up after the stacks were read: it may happen meanwhile.
  const hasStacks = stored.some(({ stack }) => stack !== null);
  const mayShow = hasStacks && withStacks && !(await isRedacted(db, orgId, job.key));
  const entries = mayShow ? stored : stored.map((entry) => ({ ...entry, stack: null }));
  const attempts = new Map<number, EntryRow[]>();
  for (const entry of entries) attempts.set(entry.attempt, [...(attempts.get(entry.attempt) ?? []), entry]);
  const pairs = [...attempts.values()];
  if (pairs.length > limit) {
    const shown = pairs.slice(0, limit);
    return { items: toAttempts(shown, job), next: shown.at(-1)?.at(-1)?.id ?? null };
  }
  if (cut === null) return { items: toAttempts(pairs, job), next: null };
  // The entry that ends the last attempt may not have been read. Then the attempt is left to the next page.
  const open = pairs.length > 1 && pairs.at(-1)?.at(-1)?.durationMs === null ? pairs.pop()?.[0] : undefined;
  return { items: toAttempts(pairs, job), next: (open?.id ?? cut) - 1n };
}

/** The first entry that a page no longer reads, found in the index alone; null: the log ends before. */
async function findCut(db: Db, key: string, after: bigint): Promise<bigint | null> {
  const [row] = await db.$queryRaw<{ id: bigint }[]>`
    SELECT id FROM job_logs WHERE job_key = ${key}::uuid AND id > ${after}::bigint
    ORDER BY id OFFSET ${MAX_ENTRIES_PER_PAGE} LIMIT 1`;
  return row?.id ?? null;
}

function toAttempts(pairs: readonly EntryRow[][], job: { status: JobStatus; attempt: number }): AttemptRow[] {
  return pairs.flatMap(([first, second]) => (first ? [toAttempt(first, second ?? first, job)] : []));
}

/** `last` is the entry that ended the attempt, or `first` again if the attempt has only its first entry. */
function toAttempt(first: EntryRow, last: EntryRow, job: { status: JobStatus; attempt: number }): AttemptRow {
  const { durationMs } = last;
  const { workerName: name, workerVersion: version } = first;
  return {
    attempt: first.attempt,
    startedAt: first.at,
    durationMs,
    outcome: durationMs === null ? outcomeWithoutEnd(first.attempt, job) : attemptOutcomeOf(last.kind),
    errorCode: last.errorCode,
    errorMessage: last.errorCode === null ? null : last.message,
    worker: name === null || version === null ? null : { name, version },
    errorStack: last.stack,
  };
}

/** Running, unless the job shows that the attempt has ended: then Postgres refused the entry of its end. */
function outcomeWithoutEnd(attempt: number, job: { status: JobStatus; attempt: number }): AttemptOutcome {
  if (attempt > job.attempt || (attempt === job.attempt && job.status === 'processing')) return 'running';
  return attempt === job.attempt && job.status === 'done' ? 'succeeded' : 'failed';
}
