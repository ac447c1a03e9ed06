import type { OrgId } from '@jobline/contracts';
import { Prisma } from '../generated/client.js';
import { isOneOf } from '../jobs/job-rows.js';
import { conditionsOf, findRarest, type Labels, labelsOf } from '../jobs/labeled-jobs.js';
import type { DbSession } from '../postgres/client.js';

/** Which jobs of an organization a bulk action is about. A job matches if it matches every field that is set. */
export interface BulkFilter extends Labels {
  /** Any text: a text that is not an id matches no job. */
  scheduleId?: string | undefined;
  ids?: readonly string[] | undefined;
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** How many jobs match, at most `limit`. */
export async function countMatching(db: DbSession, orgId: OrgId, filter: BulkFilter, limit: number): Promise<number> {
  const matching = await findMatching(db, orgId, filter);
  const [row] = await db.$queryRaw<{ count: number }[]>`
    SELECT count(*)::int AS count FROM (SELECT 1 FROM (${matching}) AS m LIMIT ${limit}) AS n`;
  return row?.count ?? 0;
}

/**
 * SQL: the keys of the jobs that match, and when they were created. If the filter has labels, it reads the jobs that have the
 * rarest of them, each by its key; otherwise the jobs of the statuses.
 */
export async function findMatching(db: DbSession, orgId: OrgId, filter: BulkFilter): Promise<Prisma.Sql> {
  const { ids, scheduleId, tags = [], limitKey } = filter;
  if (scheduleId !== undefined && !UUID.test(scheduleId)) return NONE;
  if (ids) {
    return labeled(
      Prisma.sql`SELECT * FROM submitted_jobs WHERE org_id = ${orgId}::uuid AND id = ANY (${ids}::text[])`,
      filter,
    );
  }
  if (tags.length === 0 && limitKey === undefined && scheduleId === undefined) return ofStatuses(orgId, filter);
  return labeled(await findRarest(db, labelsOf(orgId, filter)), filter);
}

const NONE = Prisma.sql`SELECT NULL::uuid AS key, NULL::timestamptz AS created_at WHERE false`;

function labeled(label: Prisma.Sql, filter: BulkFilter): Prisma.Sql {
  return Prisma.sql`
    SELECT c.key, c.created_at FROM (${label}) AS c, LATERAL (
      SELECT status, type, tags, limit_key, NULL AS error_code FROM live_jobs WHERE key = c.key
      UNION ALL
      SELECT status, type, tags, limit_key, error_code FROM finished_jobs WHERE key = c.key
      OFFSET 0) AS j
    WHERE ${Prisma.join([...conditionsOf(filter), ...createdIn(filter, Prisma.sql`c.created_at`)], ' AND ')}`;
}

/** A failed job is always in the second table. */
function ofStatuses(orgId: OrgId, filter: BulkFilter): Prisma.Sql {
  const { statuses, types, errorCode } = filter;
  const conditions = [
    Prisma.sql`org_id = ${orgId}::uuid`,
    ...(statuses.length === 0 ? [] : [Prisma.sql`status = ANY (${statuses}::job_status[])`]),
    ...(types ? [isOneOf(Prisma.sql`type`, types)] : []),
    ...createdIn(filter, Prisma.sql`created_at`),
  ];
  const live = Prisma.sql`SELECT key, created_at FROM live_jobs WHERE ${Prisma.join(conditions, ' AND ')}`;
  const withCode = errorCode === undefined ? [] : [Prisma.sql`status = 'failed' AND error_code = ${errorCode}`];
  const finished = Prisma.sql`
    SELECT key, created_at FROM finished_jobs WHERE ${Prisma.join([...conditions, ...withCode], ' AND ')}`;
  return errorCode === undefined ? Prisma.sql`${live} UNION ALL ${finished}` : finished;
}

function createdIn({ createdAfter, createdBefore }: BulkFilter, column: Prisma.Sql): Prisma.Sql[] {
  return [
    ...(createdAfter === undefined ? [] : [Prisma.sql`${column} >= ${createdAfter.toISOString()}::timestamptz`]),
    ...(createdBefore === undefined ? [] : [Prisma.sql`${column} < ${createdBefore.toISOString()}::timestamptz`]),
  ];
}
