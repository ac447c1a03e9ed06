import type { JobErrorCode, JobStatus, OrgId } from '@jobline/contracts';
import { Prisma } from '../generated/client.js';
import type { DbSession } from '../postgres/client.js';

/** Which jobs of an organization a bulk action is about. A job matches if it matches every field that is set. */
export interface BulkFilter {
  status?: JobStatus | undefined;
  type?: string | undefined;
  /** The jobs have all of them. */
  tags?: readonly string[] | undefined;
  errorCode?: JobErrorCode | undefined;
  limitKey?: string | undefined;
  /** Inclusive. */
  createdAfter?: Date | undefined;
  /** Exclusive. */
  createdBefore?: Date | undefined;
  /** Any text: a text that is not an id matches no job. */
  scheduleId?: string | undefined;
  ids?: readonly string[] | undefined;
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const LIVE: readonly JobStatus[] = ['pending', 'processing'];

/** How many jobs match, at most `limit`. */
export async function countMatching(db: DbSession, orgId: OrgId, filter: BulkFilter, limit: number): Promise<number> {
  const [row] = await db.$queryRaw<{ count: number }[]>`
    SELECT count(*)::int AS count FROM (SELECT 1 FROM (${matching(orgId, filter)}) AS m LIMIT ${limit}) AS n`;
  return row?.count ?? 0;
}

/** SQL: the keys of the jobs that match, and when they were created. */
export function matching(orgId: OrgId, filter: BulkFilter): Prisma.Sql {
  const common = conditionsOf(orgId, filter);
  const { status, errorCode } = filter;
  const live = Prisma.sql`
    SELECT j.key, j.created_at FROM live_jobs j WHERE ${Prisma.join([...common, statusIs(status)], ' AND ')}`;
  const withCode = errorCode === undefined ? [] : [Prisma.sql`j.status = 'failed' AND j.error_code = ${errorCode}`];
  const finished = Prisma.sql`
    SELECT j.key, j.created_at FROM finished_jobs j
    WHERE ${Prisma.join([...common, statusIs(status), ...withCode], ' AND ')}`;
  if (errorCode !== undefined || (status !== undefined && !LIVE.includes(status))) return finished;
  return status === undefined ? Prisma.sql`${live} UNION ALL ${finished}` : live;
}

function statusIs(status: JobStatus | undefined): Prisma.Sql {
  return status === undefined ? Prisma.sql`true` : Prisma.sql`j.status = ${status}::job_status`;
}

/** The conditions that both tables of jobs share. Those on labels use the indexes of the labels. */
function conditionsOf(orgId: OrgId, filter: BulkFilter): Prisma.Sql[] {
  const own = Prisma.sql`org_id = ${orgId}::uuid`;
  const { type, tags = [], limitKey, createdAfter, createdBefore, scheduleId, ids } = filter;
  const submitted = (condition: Prisma.Sql) =>
    Prisma.sql`j.key IN (SELECT key FROM submitted_jobs WHERE ${own} AND ${condition})`;
  return [
    Prisma.sql`j.org_id = ${orgId}::uuid`,
    ...(type === undefined ? [] : [Prisma.sql`j.type = ${type}`]),
    ...tags.map((tag) => Prisma.sql`j.key IN (SELECT key FROM job_tags WHERE ${own} AND tag = ${tag})`),
    ...(limitKey === undefined ? [] : [submitted(Prisma.sql`limit_key = ${limitKey}`)]),
    ...(createdAfter === undefined ? [] : [Prisma.sql`j.created_at >= ${createdAfter.toISOString()}::timestamptz`]),
    ...(createdBefore === undefined ? [] : [Prisma.sql`j.created_at < ${createdBefore.toISOString()}::timestamptz`]),
    ...(scheduleId === undefined ? [] : [UUID.test(scheduleId) ? submitted(ofSchedule(scheduleId)) : NONE]),
    ...(ids === undefined ? [] : [submitted(Prisma.sql`id = ANY (${ids}::text[])`)]),
  ];
}

const NONE = Prisma.sql`false`;

function ofSchedule(id: string): Prisma.Sql {
  return Prisma.sql`schedule_id = ${id}::uuid`;
}
