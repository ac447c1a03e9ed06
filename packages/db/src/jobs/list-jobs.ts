import {
  ABOUT_FIELDS,
  JOB_STATUSES,
  type JobErrorCode,
  type JobKey,
  type JobStatus,
  type OrgId,
} from '@jobline/contracts';
import { type Job, Prisma } from '../generated/client.js';
import type { Db, DbSession } from '../postgres/client.js';
import { byCreation, type Page, type PageRequest, type TimeCursor, toPage, upperBound } from '../postgres/page.js';

/** The columns of a job in lists. */
export interface JobRow
  extends Pick<Job, 'id' | 'type' | 'status' | 'retries' | 'maxRetries' | 'createdAt' | 'updatedAt'> {
  /** Null: none. */
  tags: string[] | null;
}

/** A job in a list. `durationMs`: null until it has finished. */
export interface ListedJob extends JobRow, Pick<Job, 'errorCode' | 'errorMessage' | 'durationMs'> {
  /** The first recipient, phone, channel or host that it is about; null: none, or it is redacted. */
  about: string | null;
}

/** SQL: the columns of a JobRow, of the view `jobs`. */
export const JOB_COLUMNS = Prisma.sql`jobs.id, jobs.type, jobs.status, jobs.retries, jobs.max_retries AS "maxRetries",
  jobs.created_at AS "createdAt", jobs.updated_at AS "updatedAt", jobs.tags`;

/** SQL: whether the column has one of the types. */
export function isOneOf(column: Prisma.Sql, types: readonly string[]): Prisma.Sql {
  const [type] = types;
  // Without a list, rows that are found by an index keep their order.
  return types.length === 1 ? Prisma.sql`${column} = ${type}` : Prisma.sql`${column} = ANY (${types}::text[])`;
}

export interface JobFilter extends PageRequest {
  /** Empty: all statuses. */
  statuses: readonly JobStatus[];
  /** The jobs have one of them; null: any type. */
  types?: readonly string[] | null | undefined;
  /** The jobs have all of them. */
  tags?: readonly string[] | undefined;
  limitKey?: string | undefined;
  /** The jobs failed with it. */
  errorCode?: JobErrorCode | undefined;
  /** The schedule that made the jobs. */
  scheduleId?: string | undefined;
  /** The jobs name this job in `after`. */
  after?: string | undefined;
  /** The jobs are reruns of this one. */
  rerunOf?: string | undefined;
  /** The jobs are about it: in lower case. What is redacted is not found. */
  about?: string | undefined;
  /** The version of the worker of their latest attempt. */
  workerVersion?: string | undefined;
  /** Inclusive. */
  createdAfter?: Date | undefined;
  /** Exclusive. */
  createdBefore?: Date | undefined;
}

const LIVE = Prisma.sql`updated_at AS "updatedAt", NULL AS "errorCode", NULL AS "errorMessage", NULL::int AS "durationMs",
  NULL::timestamptz AS finished_at FROM live_jobs`;
const FINISHED = Prisma.sql`finished_at AS "updatedAt", error_code AS "errorCode", error_message AS "errorMessage",
  duration_ms AS "durationMs", finished_at FROM finished_jobs`;

/** SQL: the jobs of each status. The text names the status, because indexes of live jobs are for one status each. */
const JOBS_IN: Readonly<Record<JobStatus, Prisma.Sql>> = {
  pending: Prisma.sql`${LIVE} WHERE status = 'pending'`,
  processing: Prisma.sql`${LIVE} WHERE status = 'processing'`,
  done: Prisma.sql`${FINISHED} WHERE status = 'done'`,
  failed: Prisma.sql`${FINISHED} WHERE status = 'failed'`,
};

/** SQL: whether the field of this `about` of a job of `s` is redacted. `finishedAt`: when the job finished; null: it has not. */
function isRedactedAbout(about: Prisma.Sql, finishedAt: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`EXISTS (
    SELECT 1 FROM organization_settings o
    WHERE o.org_id = s.org_id AND split_part(${about}, ':', 1) = ANY (o.redact_keys)
      AND ${finishedAt} <= clock_timestamp() - o.redact_after_days * interval '1 day')`;
}

/** SQL: what a listed job is about. One lookup by key. */
function aboutOf(key: Prisma.Sql, finishedAt: Prisma.Sql): Prisma.Sql {
  const first = Prisma.sql`s.abouts[1]`;
  return Prisma.sql`(
    SELECT substr(${first}, strpos(${first}, ':') + 1) FROM submitted_jobs s
    WHERE s.key = ${key} AND NOT ${isRedactedAbout(first, finishedAt)}) AS about`;
}

/**
 * A page of an organization's jobs, newest first. The page merges one index range per status, so it costs `limit` rows
 * per requested status and type, whatever the filter, the depth and the number of jobs. A filter by type reads all running jobs of
 * the organization: there are no more of them than slots. Lists by tag, key or schedule, or by error code and type, read a
 * limited number of rows, so a page of such a list may have fewer jobs than `limit` although another page follows.
 */
export async function listJobs(db: Db, orgId: OrgId, filter: JobFilter): Promise<Page<ListedJob>> {
  const { statuses, types, tags = [], limitKey, scheduleId, errorCode, after, rerunOf, about, workerVersion } = filter;
  if (types?.length === 0) return { items: [], next: null };
  // Only failed jobs have an error code.
  if (errorCode !== undefined && statuses.length > 0 && !statuses.includes('failed')) return { items: [], next: null };
  // No index has both error code and type.
  const needsBoth = errorCode !== undefined && !!types;
  const labels = [limitKey, scheduleId, after, rerunOf, about, workerVersion];
  const isLabeled = tags.length > 0 || labels.some((label) => label !== undefined) || needsBoth;
  return isLabeled ? listLabeledJobs(db, orgId, filter) : listByStatus(db, orgId, filter);
}

async function listByStatus(db: Db, orgId: OrgId, filter: JobFilter): Promise<Page<ListedJob>> {
  const all = filter.errorCode === undefined ? JOB_STATUSES : (['failed'] as const);
  const statuses = filter.statuses.length > 0 ? filter.statuses : all;
  const after = filter.createdAfter?.toISOString() ?? '-infinity';
  const below = upperBound(filter.cursor, filter.createdBefore, '');
  const withCode = filter.errorCode === undefined ? Prisma.empty : Prisma.sql`AND error_code = ${filter.errorCode}`;
  const wanted = filter.limit + 1;
  const part = (status: JobStatus, ofType: Prisma.Sql) => Prisma.sql`
    (SELECT key, id, type, status, retries, max_retries AS "maxRetries", created_at AS "createdAt", tags, ${JOBS_IN[status]}
       AND org_id = ${orgId}::uuid ${ofType} ${withCode}
       AND created_at >= ${after}::timestamptz AND (created_at, id) < (${below.at}::timestamptz, ${below.id})
     ORDER BY created_at DESC, id DESC LIMIT ${wanted})`;
  const { types } = filter;
  const parts = statuses.map((status) => {
    if (!types) return part(status, Prisma.empty);
    if (types.length === 1) return part(status, Prisma.sql`AND ${isOneOf(Prisma.sql`type`, types)}`);
    // An index range per type: a filter would read the jobs of all other types.
    const ofType = part(status, Prisma.sql`AND type = t.name`);
    return Prisma.sql`(SELECT j.* FROM unnest(${types}::text[]) AS t(name), LATERAL ${ofType} AS j)`;
  });
  const rows = await db.$queryRaw<ListedJob[]>`
    SELECT id, type, status, retries, "maxRetries", "createdAt", "updatedAt", tags, "errorCode", "errorMessage", "durationMs",
      ${aboutOf(Prisma.sql`j.key`, Prisma.sql`j.finished_at`)}
    FROM (
      SELECT * FROM (${Prisma.join(parts, ' UNION ALL ')}) AS u ORDER BY "createdAt" DESC, id DESC LIMIT ${wanted}) AS j
    ORDER BY "createdAt" DESC, id DESC`;
  return toPage(rows, filter.limit, byCreation);
}

/** The highest number of rows that one page reads. Each costs a lookup by key. */
const MAX_READ = 1_000;
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
async function listLabeledJobs(db: Db, orgId: OrgId, filter: JobFilter): Promise<Page<ListedJob>> {
  const after = filter.createdAfter?.toISOString() ?? '-infinity';
  const below = upperBound(filter.cursor, filter.createdBefore, '');
  const label = await findRarest(db, labelsOf(orgId, filter));
  const wanted = filter.limit + 1;
  const rows = await db.$queryRaw<((ListedJob & { key: null }) | LastRead)[]>`
    WITH c AS MATERIALIZED (
      SELECT key, created_at, id FROM (${label}) AS c
      WHERE created_at >= ${after}::timestamptz AND (created_at, id) < (${below.at}::timestamptz, ${below.id})
      ORDER BY created_at DESC, id DESC LIMIT ${MAX_READ})
    SELECT * FROM (
      SELECT NULL::uuid AS key, j.id, j.type, j.status, j.retries, j.max_retries AS "maxRetries", c.created_at AS "createdAt",
        j.updated_at AS "updatedAt", j.tags, j.error_code AS "errorCode", j.error_message AS "errorMessage",
        j.duration_ms AS "durationMs", ${aboutOf(Prisma.sql`c.key`, Prisma.sql`j.finished_at`)}
      FROM c, LATERAL (
        SELECT id, type, status, retries, max_retries, updated_at, tags, limit_key, NULL AS error_code,
          NULL AS error_message, NULL::int AS duration_ms, worker_version, NULL::timestamptz AS finished_at
        FROM live_jobs WHERE key = c.key
        UNION ALL
        SELECT id, type, status, retries, max_retries, finished_at, tags, limit_key, error_code,
          error_message, duration_ms, worker_version, finished_at
        FROM finished_jobs WHERE key = c.key
        OFFSET 0) AS j
      WHERE ${Prisma.join(conditionsOf(filter), ' AND ')}
      ORDER BY c.created_at DESC, c.id DESC LIMIT ${wanted}) AS found
    UNION ALL
    (SELECT key, id, NULL, NULL, NULL, NULL, created_at, NULL, NULL, NULL, NULL, NULL, NULL FROM c
     ORDER BY created_at, id LIMIT (SELECT (count(*) = ${MAX_READ})::int FROM c))
    ORDER BY key NULLS FIRST, "createdAt" DESC, id DESC`;
  const found = rows.filter((row) => row.key === null);
  if (found.length === wanted) return toPage(found, filter.limit, byCreation);
  const last = rows.find((row) => row.key !== null);
  return { items: found, next: last ? byCreation(last) : null };
}

/** The last row that a page has read, if it has read as many as it may. */
interface LastRead extends TimeCursor {
  key: JobKey;
}

/** The labels of a filter. */
export function labelsOf(orgId: OrgId, filter: Labels): Label[] {
  const { tags = [], limitKey, scheduleId, errorCode, types, after, rerunOf, about, workerVersion } = filter;
  const own = Prisma.sql`org_id = ${orgId}::uuid`;
  const submitted = Prisma.sql`SELECT * FROM submitted_jobs WHERE ${own}`;
  const failed = Prisma.sql`SELECT * FROM finished_jobs WHERE ${own} AND status = 'failed'`;
  const waiting = Prisma.sql`SELECT job_key AS key, created_at, id FROM job_conditions WHERE after_key = (
    SELECT key FROM submitted_jobs WHERE ${own} AND id = ${after ?? ''})`;
  const named = (text: string) => Prisma.sql`job_abouts WHERE ${own} AND about = ${text}`;
  const ran = (table: Prisma.Sql) => Prisma.sql`${table} WHERE ${own} AND worker_version = ${workerVersion}`;
  return [
    ...tags.map((tag) => Prisma.sql`SELECT * FROM job_tags WHERE ${own} AND tag = ${tag}`),
    ...(limitKey === undefined ? [] : [Prisma.sql`${submitted} AND limit_key = ${limitKey}`]),
    ...(scheduleId === undefined ? [] : [Prisma.sql`${submitted} AND schedule_id = ${scheduleId}::uuid`]),
    ...(after === undefined ? [] : [waiting]),
    ...(rerunOf === undefined ? [] : [Prisma.sql`${submitted} AND rerun_of = ${rerunOf}`]),
    ...(about === undefined ? [] : [merged(aboutTexts(about).map(named))]),
    ...(workerVersion === undefined ? [] : [merged([Prisma.sql`live_jobs`, Prisma.sql`finished_jobs`].map(ran))]),
    ...(errorCode === undefined ? [] : [Prisma.sql`${failed} AND error_code = ${errorCode}`]),
    // The type of failed jobs has an index, too.
    ...(errorCode === undefined || types?.length !== 1 ? [] : [Prisma.sql`${failed} AND type = ${types[0]}`]),
  ];
}

/** SQL: one label of several index ranges, which a list merges. */
function merged(ranges: readonly Prisma.Sql[]): Label {
  return Prisma.join(
    ranges.map((range) => Prisma.sql`SELECT key, created_at, id FROM ${range}`),
    ' UNION ALL ',
  );
}

/** What is stored of a job that is about this. */
function aboutTexts(about: string): string[] {
  return ABOUT_FIELDS.map((field) => `${field}:${about}`);
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
export function conditionsOf({
  statuses,
  types,
  tags = [],
  limitKey,
  scheduleId,
  errorCode,
  after,
  rerunOf,
  about,
  workerVersion,
}: Labels): Prisma.Sql[] {
  const ofSchedule = Prisma.sql`EXISTS (
    SELECT 1 FROM submitted_jobs s WHERE s.key = c.key AND s.schedule_id = ${scheduleId ?? null}::uuid)`;
  const isRerun = Prisma.sql`EXISTS (
    SELECT 1 FROM submitted_jobs s WHERE s.key = c.key AND s.rerun_of = ${rerunOf ?? ''})`;
  const waits = Prisma.sql`EXISTS (
    SELECT 1 FROM job_conditions w WHERE w.job_key = c.key AND w.after_id = ${after ?? ''})`;
  const texts = aboutTexts(about ?? '');
  // What is redacted, and not yet deleted, does not count.
  const isAbout = Prisma.sql`EXISTS (
    SELECT 1 FROM submitted_jobs s CROSS JOIN LATERAL unnest(s.abouts) AS a(text)
    WHERE s.key = c.key AND a.text = ANY (${texts}) AND NOT ${isRedactedAbout(Prisma.sql`a.text`, Prisma.sql`j.finished_at`)})`;
  return [
    Prisma.sql`true`,
    ...(statuses.length > 0 ? [Prisma.sql`j.status::text = ANY (${statuses})`] : []),
    ...(types ? [isOneOf(Prisma.sql`j.type`, types)] : []),
    ...(tags.length > 0 ? [Prisma.sql`j.tags @> ${tags}`] : []),
    ...(limitKey === undefined ? [] : [Prisma.sql`j.limit_key = ${limitKey}`]),
    ...(scheduleId === undefined ? [] : [ofSchedule]),
    ...(after === undefined ? [] : [waits]),
    ...(rerunOf === undefined ? [] : [isRerun]),
    ...(errorCode === undefined ? [] : [Prisma.sql`j.error_code = ${errorCode}`]),
    ...(about === undefined ? [] : [isAbout]),
    ...(workerVersion === undefined ? [] : [Prisma.sql`j.worker_version = ${workerVersion}`]),
  ];
}
