import { FAILURE_SERIES_LENGTH, type JobErrorCode, type OrgId } from '@jobline/contracts';
import { Prisma } from '../generated/client.js';
import type { DbSession } from '../postgres/client.js';

/** Failed jobs with the same type, the same error code and the same message, but for numbers, ids and addresses. */
export interface FailureGroup {
  type: string;
  errorCode: JobErrorCode;
  /** With placeholders instead of what differs. At most MESSAGE_LENGTH characters of the messages are compared. */
  message: string;
  count: number;
  firstAt: Date;
  lastAt: Date;
  /** How many ended in each of FAILURE_SERIES_LENGTH parts of the window, the oldest part first. */
  series: number[];
  /** The latest of them, at most three. */
  exampleIds: string[];
}

const MESSAGE_LENGTH = 200;

/** Folding the messages of all of them takes less than five seconds if each is different. */
const FAILURES_READ = 100_000;

/** A character of an id that is not a digit, and any character of an id. */
const LETTER = '[[:alpha:]_-]';
const ANY = '[[:alnum:]_-]';
/**
 * A text of at least eight characters with a digit, by the place of its first digit. Postgres needs 80 times longer for
 * a lookahead.
 */
const ID = [...Array.from({ length: 7 }, (_, n) => `${LETTER}{${n}}[0-9]${ANY}{${7 - n}}`), `${LETTER}{7,}[0-9]`].join(
  '|',
);

/**
 * Parts of a message that differ between failures for the same reason, and their placeholders, in the order in which they are
 * replaced.
 */
const FOLDED = {
  email: '[[:alnum:]._%+-]+@[[:alnum:].-]+',
  uuid: '[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}',
  // Such as an order number.
  id: `(${ID})${ANY}*`,
  number: '[0-9]+([.,:][0-9]+)*',
} as const;

/**
 * An organization's jobs that are failed now and finished in the last `windowMs`, in groups: the `limit` largest. Only the
 * FAILURES_READ jobs that finished last are read. `types`: only these count, each with an equal part of the jobs that are read; null
 * or absent: all.
 */
export async function listFailureGroups(
  db: DbSession,
  orgId: OrgId,
  { windowMs, limit, types }: { windowMs: number; limit: number; types?: readonly string[] | null },
): Promise<FailureGroup[]> {
  if (types?.length === 0) return [];
  const latest = (limit: number, ofType: Prisma.Sql) => Prisma.sql`
    SELECT key, id, type, error_code, error_message, finished_at FROM finished_jobs
    WHERE org_id = ${orgId}::uuid AND status = 'failed' ${ofType} AND finished_at >= now() - ${windowMs}::float8 * interval '1 ms'
    ORDER BY finished_at DESC LIMIT ${limit}`;
  const read = types
    ? Prisma.sql`SELECT j.* FROM unnest(${types}::text[]) AS t(name),
        LATERAL (${latest(Math.ceil(FAILURES_READ / types.length), Prisma.sql`AND type = t.name`)}) AS j`
    : latest(FAILURES_READ, Prisma.empty);
  return db.$queryRaw<FailureGroup[]>`
    WITH latest AS (${read}),
    failures AS (
      -- Folded once for each different message.
      SELECT type, error_code, left(coalesce(error_message, ''), ${MESSAGE_LENGTH}::int) AS message, count(*) AS count,
        min(finished_at) AS first_at, max(finished_at) AS last_at,
        -- A letter for each job, for the part of the window in which it finished: a, b, and so on.
        string_agg(chr(96 + least(${FAILURE_SERIES_LENGTH}::int, width_bucket(extract(epoch FROM now() - finished_at)::float8,
          ${windowMs / 1_000}::float8, 0, ${FAILURE_SERIES_LENGTH}::int))), '') AS parts,
        (array_agg(id ORDER BY finished_at DESC, key))[1:3] AS ids,
        (array_agg(finished_at ORDER BY finished_at DESC, key))[1:3] AS times
      FROM latest GROUP BY 1, 2, 3),
    folded AS (
      SELECT type, error_code, regexp_replace(regexp_replace(regexp_replace(regexp_replace(message,
          ${FOLDED.email}, '<address>', 'g'), ${FOLDED.uuid}, '<id>', 'g'), ${FOLDED.id}, '<id>', 'g'), ${FOLDED.number}, '<n>', 'g')
        AS message, count, first_at, last_at, parts, ids, times
      FROM failures),
    groups AS (
      SELECT type, error_code, message, sum(count)::int AS count, min(first_at) AS first_at, max(last_at) AS last_at,
        string_agg(parts, '') AS parts,
        -- JSON, because an array of arrays needs equal lengths.
        (array_agg(jsonb_build_object('ids', ids, 'times', times) ORDER BY last_at DESC))[1:3] AS latest
      FROM folded GROUP BY 1, 2, 3 ORDER BY 4 DESC, 6 DESC, 1, 2, 3 LIMIT ${limit})
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
