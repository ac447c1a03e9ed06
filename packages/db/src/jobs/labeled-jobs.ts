import type { OrgId } from '@jobline/contracts';
import { Prisma } from '../generated/client.js';
import type { Db, DbSession } from '../postgres/client.js';
import { byCreation, type Page, type TimeCursor, toPage, upperBound } from '../postgres/page.js';
import { isOneOf, type JobFilter, type JobRow } from './job-rows.js';

/** The highest number of rows that one page reads. Each costs a lookup by key. */
const MAX_READ = 10_000;
/** Labels that more jobs than this have count as equally frequent. */
const MAX_COUNTED = 1_000;

/** A filter without the part that selects a page. */
export type Labels = Omit<JobFilter, 'limit' | 'cursor'>;

/** SQL: the organization's jobs that have one label (a tag, a key or an error code), as rows with `key`, `created_at` and `id`. */
export type Label = Prisma.Sql;

/**
 * A page of an organization's jobs that have all labels of the filter, newest first. It reads the jobs that
 * have the rarest of these labels, and keeps those that match the whole filter. It reads at most MAX_READ of them: then
 * the next page continues after the last one that was read.
 */
export async function listLabeledJobs(db: Db, orgId: OrgId, filter: JobFilter): Promise<Page<JobRow>> {
  const after = filter.createdAfter?.toISOString() ?? '-infinity';
  const below = upperBound(filter.cursor, filter.createdBefore, '');
  const label = await findRarest(db, labelsOf(orgId, filter));
  const candidates = Prisma.sql`
    SELECT key, created_at, id FROM (${label}) AS c
    WHERE created_at >= ${after}::timestamptz AND (created_at, id) < (${below.at}::timestamptz, ${below.id})
    ORDER BY created_at DESC, id DESC LIMIT ${MAX_READ}`;
  const wanted = filter.limit + 1;
  const rows = await db.$queryRaw<JobRow[]>`
    SELECT j.id, j.type, j.status, j.retries, j.max_retries AS "maxRetries", c.created_at AS "createdAt",
      j.updated_at AS "updatedAt", j.tags
    FROM (${candidates}) AS c, LATERAL (
      SELECT id, type, status, retries, max_retries, updated_at, tags, limit_key, NULL AS error_code
      FROM live_jobs WHERE key = c.key
      UNION ALL
      SELECT id, type, status, retries, max_retries, finished_at, tags, limit_key, error_code
      FROM finished_jobs WHERE key = c.key
      OFFSET 0) AS j
    WHERE ${Prisma.join(conditionsOf(filter), ' AND ')}
    ORDER BY c.created_at DESC, c.id DESC LIMIT ${wanted}`;
  if (rows.length === wanted) return toPage(rows, filter.limit, byCreation);
  const [last] = await db.$queryRaw<TimeCursor[]>`
    SELECT created_at AS "createdAt", id FROM (${candidates}) AS c
    ORDER BY created_at, id LIMIT (SELECT (count(*) = ${MAX_READ})::int FROM (${candidates}) AS c)`;
  return { items: rows, next: last ?? null };
}

/** The labels of a filter. */
export function labelsOf(orgId: OrgId, { tags = [], limitKey, scheduleId, errorCode, types }: Labels): Label[] {
  const own = Prisma.sql`org_id = ${orgId}::uuid`;
  const submitted = Prisma.sql`SELECT * FROM submitted_jobs WHERE ${own}`;
  const failed = Prisma.sql`SELECT * FROM finished_jobs WHERE ${own} AND status = 'failed'`;
  return [
    ...tags.map((tag) => Prisma.sql`SELECT * FROM job_tags WHERE ${own} AND tag = ${tag}`),
    ...(limitKey === undefined ? [] : [Prisma.sql`${submitted} AND limit_key = ${limitKey}`]),
    ...(scheduleId === undefined ? [] : [Prisma.sql`${submitted} AND schedule_id = ${scheduleId}::uuid`]),
    ...(errorCode === undefined ? [] : [Prisma.sql`${failed} AND error_code = ${errorCode}`]),
    // The type of failed jobs has an index, too.
    ...(errorCode === undefined || types?.length !== 1 ? [] : [Prisma.sql`${failed} AND type = ${types[0]}`]),
  ];
}

/** The label that the fewest jobs have. */
export async function findRarest(db: DbSession, labels: readonly Label[]): Promise<Label> {
  const [first, ...others] = labels;
  if (!first) throw new Error('a list of labeled jobs without a label');
  if (others.length === 0) return first;
  const counts = labels.map(
    (label, n) => Prisma.sql`
      SELECT ${n}::int AS n, count(*) AS count FROM (SELECT 1 FROM (${label}) AS l LIMIT ${MAX_COUNTED}) AS c`,
  );
  const rows = await db.$queryRaw<{ n: number }[]>`
    SELECT n FROM (${Prisma.join(counts, ' UNION ALL ')}) AS counts ORDER BY count LIMIT 1`;
  return labels[rows[0]?.n ?? 0] ?? first;
}

/** SQL: the conditions of a filter on the job `j`, whose key is `c.key`. */
export function conditionsOf({ statuses, types, tags = [], limitKey, scheduleId, errorCode }: Labels): Prisma.Sql[] {
  const ofSchedule = Prisma.sql`EXISTS (
    SELECT 1 FROM submitted_jobs s WHERE s.key = c.key AND s.schedule_id = ${scheduleId ?? null}::uuid)`;
  return [
    Prisma.sql`true`,
    ...(statuses.length > 0 ? [Prisma.sql`j.status::text = ANY (${statuses})`] : []),
    ...(types ? [isOneOf(Prisma.sql`j.type`, types)] : []),
    ...(tags.length > 0 ? [Prisma.sql`j.tags @> ${tags}`] : []),
    ...(limitKey === undefined ? [] : [Prisma.sql`j.limit_key = ${limitKey}`]),
    ...(scheduleId === undefined ? [] : [ofSchedule]),
    ...(errorCode === undefined ? [] : [Prisma.sql`j.error_code = ${errorCode}`]),
  ];
}
