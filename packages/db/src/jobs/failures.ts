import { FAILURE_SERIES_LENGTH, type JobErrorCode, type OrgId } from '@jobline/contracts';
import { Prisma } from '../generated/client.js';
import type { DbSession } from '../postgres/client.js';

/** Failed jobs with the same type, the same error code and the same message, but for numbers, ids and addresses. */
export interface FailureGroup {
  type: string;
  errorCode: JobErrorCode;
  /** With placeholders instead of what differs. Only the beginnings of the messages are compared. See `folded_message.sql`. */
  message: string;
  count: number;
  firstAt: Date;
  lastAt: Date;
  /** How many ended in each of FAILURE_SERIES_LENGTH parts of the range, the oldest part first. */
  series: number[];
  /** The latest of them, at most three. */
  exampleIds: string[];
}

/** As many characters as `folded_message` compares. */
const MESSAGE_LENGTH = 200;

/** Folding the messages of all of them takes less than five seconds if each is different. */
const FAILURES_READ = 100_000;

/** Which failed jobs are grouped. */
export interface FailureRange {
  /** The end of the jobs: at most so long ago; null: however long ago. */
  windowMs: number | null;
  /** Inclusive. */
  endedAfter?: Date | undefined;
  /** Exclusive. */
  endedBefore?: Date | undefined;
  /** Only the group with this message. */
  message?: string | undefined;
}

/**
 * An organization's jobs that are failed now and finished in the range, in groups: the `limit` largest. Only the FAILURES_READ jobs of
 * the range that finished last are read. `types`: only these count, each with an equal part of the jobs that are read; null
 * or absent: all.
 */
export async function listFailureGroups(
  db: DbSession,
  orgId: OrgId,
  { windowMs, endedAfter, endedBefore, message }: FailureRange,
  { limit, types }: { limit: number; types?: readonly string[] | null },
): Promise<FailureGroup[]> {
  if (types?.length === 0) return [];
  const since = Prisma.sql`greatest(now() - ${windowMs}::float8 * interval '1 ms', ${endedAfter?.toISOString() ?? null}::timestamptz)`;
  const until = Prisma.sql`${endedBefore?.toISOString() ?? null}::timestamptz`;
  const latest = (limit: number, ofType: Prisma.Sql) => Prisma.sql`
    SELECT key, id, type, error_code, error_message, finished_at FROM finished_jobs
    WHERE org_id = ${orgId}::uuid AND status = 'failed' ${ofType}
      AND finished_at >= coalesce(${since}, '-infinity') AND finished_at < coalesce(${until}, 'infinity')
    ORDER BY finished_at DESC LIMIT ${limit}`;
  const read = types
    ? Prisma.sql`SELECT j.* FROM unnest(${types}::text[]) AS t(name),
        LATERAL (${latest(Math.ceil(FAILURES_READ / types.length), Prisma.sql`AND type = t.name`)}) AS j`
    : latest(FAILURES_READ, Prisma.empty);
  return db.$queryRaw<FailureGroup[]>`
    WITH latest AS (${read}),
    range AS MATERIALIZED (
      SELECT since, greatest(until, since + interval '1 ms') AS until FROM (
        SELECT coalesce(${since}, (SELECT min(finished_at) FROM latest)) AS since, least(${until}, now()) AS until) AS r),
    failures AS (
      -- Folded once for each different message.
      SELECT type, error_code, left(coalesce(error_message, ''), ${MESSAGE_LENGTH}::int) AS message, count(*) AS count, min(finished_at) AS first_at, max(finished_at) AS last_at,
        -- A letter for each job, for the part of the range in which it finished: a, b, and so on.
        string_agg(chr(96 + least(${FAILURE_SERIES_LENGTH}::int, width_bucket(extract(epoch FROM finished_at)::float8,
          extract(epoch FROM since)::float8, extract(epoch FROM until)::float8, ${FAILURE_SERIES_LENGTH}::int))), '') AS parts,
        (array_agg(id ORDER BY finished_at DESC, key))[1:3] AS ids,
        (array_agg(finished_at ORDER BY finished_at DESC, key))[1:3] AS times
      FROM latest, range GROUP BY 1, 2, 3),
    folded AS (
      SELECT type, error_code, folded_message(message) AS message, count, first_at, last_at, parts, ids, times
      FROM failures),
    groups AS (
      SELECT type, error_code, message, sum(count)::int AS count, min(first_at) AS first_at, max(last_at) AS last_at,
        string_agg(parts, '') AS parts,
        -- JSON, because an array of arrays needs equal lengths.
        (array_agg(jsonb_build_object('ids', ids, 'times', times) ORDER BY last_at DESC))[1:3] AS latest
      FROM folded WHERE ${message ?? null}::text IS NULL OR message = ${message ?? null}::text
      GROUP BY 1, 2, 3 ORDER BY 4 DESC, 6 DESC, 1, 2, 3 LIMIT ${limit})
    SELECT g.type, g.error_code AS "errorCode", g.message, g.count, g.first_at AS "firstAt", g.last_at AS "lastAt",
      ARRAY(
        SELECT length(g.parts) - length(replace(g.parts, chr(96 + n), ''))
        FROM generate_series(1, ${FAILURE_SERIES_LENGTH}::int) AS n ORDER BY n) AS series,
      ARRAY(
        SELECT j.id FROM unnest(g.latest) AS l(jobs),
          ROWS FROM (jsonb_array_elements_text(l.jobs->'ids'), jsonb_array_elements_text(l.jobs->'times')) AS j(id, finished_at)
        ORDER BY j.finished_at::timestamptz DESC, j.id LIMIT 3) AS "exampleIds"
    FROM groups g ORDER BY g.count DESC, g.last_at DESC, g.type, g.error_code, g.message`;
}
