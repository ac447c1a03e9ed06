import type { OrgId } from '@jobline/contracts';
import { Prisma } from '../generated/client.js';
import type { DbSession } from '../postgres/client.js';
import type { JobStatsOptions } from './stats.js';

/** How long the latest attempts of finished jobs had waited and ran, in ms, and which pending job waits longest. */
export interface JobTimes {
  /** From when the attempt was due until it started: the median and the 95th percentile. Null: no job has finished. */
  waitedMs: [p50: number, p95: number] | null;
  ranMs: [p50: number, p95: number] | null;
  /** Since when the pending job that waits longest could start; null: none can. */
  oldestDueAt: Date | null;
}

/** The finished jobs of the window that are read, and the pending jobs. */
const JOBS_READ = 1_000;

/**
 * The times of the JOBS_READ jobs of the window that finished last, and of as many pending jobs that were accepted first. With `types`,
 * each of them has an equal part, of the finished jobs that were accepted last. So the cost has a bound, whatever has finished or waits.
 */
export async function readJobTimes(
  db: DbSession,
  orgId: OrgId,
  { stepMs, steps, types }: Omit<JobStatsOptions, 'maxTypes'>,
): Promise<JobTimes> {
  if (types?.length === 0) return { waitedMs: null, ranMs: null, oldestDueAt: null };
  const each = Math.ceil(JOBS_READ / (types?.length ?? 1));
  const ended = Prisma.sql`run_at, started_at, duration_ms, finished_at, created_at FROM finished_jobs WHERE org_id = ${orgId}::uuid`;
  const since = Prisma.sql`now() - ${stepMs * steps}::float8 * interval '1 ms'`;
  const pending = (ofType: Prisma.Sql) => Prisma.sql`
    SELECT run_at, place FROM live_jobs WHERE org_id = ${orgId}::uuid AND status = 'pending' ${ofType}
    ORDER BY created_at, id LIMIT ${each}`;
  // No index has the end of jobs by type.
  const accepted = (status: 'done' | 'failed') => Prisma.sql`
    (SELECT ${ended} AND type = t.name AND status = ${status}::job_status ORDER BY created_at DESC, id DESC LIMIT ${each})`;
  const ofTypes = (rows: Prisma.Sql) =>
    Prisma.sql`SELECT j.* FROM unnest(${types ?? []}::text[]) AS t(name), LATERAL (${rows}) AS j`;
  const finished = types
    ? ofTypes(Prisma.sql`
        SELECT * FROM (${accepted('done')} UNION ALL ${accepted('failed')}) AS a ORDER BY created_at DESC LIMIT ${each}`)
    : Prisma.sql`SELECT ${ended} AND finished_at >= ${since} ORDER BY finished_at DESC LIMIT ${each}`;
  const waiting = types ? ofTypes(pending(Prisma.sql`AND type = t.name`)) : pending(Prisma.empty);
  const percentiles = (ms: Prisma.Sql) => Prisma.sql`percentile_disc(ARRAY[0.5, 0.95]) WITHIN GROUP (ORDER BY ${ms})`;
  const [row] = await db.$queryRaw<JobTimes[]>`
    SELECT ${percentiles(Prisma.sql`round(extract(epoch FROM started_at - run_at) * 1000)::float8`)} AS "waitedMs",
      ${percentiles(Prisma.sql`duration_ms::float8`)} AS "ranMs",
      (SELECT min(run_at) FROM (${waiting}) AS w WHERE run_at <= now() AND place NOT IN ('blocked', 'failing')) AS "oldestDueAt"
    FROM (${finished}) AS f
    -- A job that was canceled before its attempt has none, or an earlier one.
    WHERE started_at >= run_at AND finished_at >= ${since}`;
  if (!row) throw new Error('a statement that returns one row returned none');
  return row;
}
