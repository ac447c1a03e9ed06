import type { JobStatus, OrgId } from '@jobline/contracts';
import { countJobs, type Db, type DbSession, type JobStatsOptions, type JobStatsRow } from '@jobline/db';

/** The windows of GET /stats/jobs. */
export const WINDOWS = {
  '1h': { stepMs: 60_000, steps: 60 },
  '24h': { stepMs: 30 * 60_000, steps: 48 },
  '7d': { stepMs: 3 * 3_600_000, steps: 56 },
};
const MAX_TYPES = 50;

interface Counted extends Omit<JobStatsRow, 'byType'> {
  byType: Record<string, number>;
}

/** The statistics of an organization, and what a plain count of its rows gives at the same moment. */
export async function countTwice(
  db: Db,
  orgId: OrgId,
  options: Omit<JobStatsOptions, 'maxTypes'>,
): Promise<{ counted: Counted; plain: Counted }> {
  return db.$transaction(
    async (tx) => {
      const row = await countJobs(tx, orgId, { ...options, maxTypes: MAX_TYPES });
      const counted = { ...row, byType: Object.fromEntries(row.byType) };
      return { counted, plain: await countPlainly(tx, orgId, options) };
    },
    { isolationLevel: 'RepeatableRead' },
  );
}

async function countPlainly(
  tx: DbSession,
  orgId: OrgId,
  { stepMs, steps, types = null }: Omit<JobStatsOptions, 'maxTypes'>,
): Promise<Counted> {
  const rows = await tx.$queryRaw<{ at: Date | null; status: JobStatus; type: string }[]>`
    SELECT date_bin(${stepMs} * interval '1 ms', finished_at, 'epoch') AS at, status, type FROM finished_jobs
    WHERE org_id = ${orgId}::uuid AND (type = ANY (${types}::text[]) OR ${types}::text[] IS NULL)
    UNION ALL
    SELECT NULL, status, type FROM live_jobs
    WHERE org_id = ${orgId}::uuid AND (type = ANY (${types}::text[]) OR ${types}::text[] IS NULL)`;
  const attempts = await tx.$queryRaw<{ at: Date; n: number }[]>`
    SELECT date_bin(${stepMs} * interval '1 ms', at, 'epoch') AS at, n FROM failed_attempts
    WHERE org_id = ${orgId}::uuid AND (type = ANY (${types}::text[]) OR ${types}::text[] IS NULL)`;
  const [clock] = await tx.$queryRaw<{ latest: Date; oldest: Date | null }[]>`
    SELECT date_bin(${stepMs} * interval '1 ms', now(), 'epoch') AS latest,
      (SELECT min(created_at) FROM live_jobs WHERE org_id = ${orgId}::uuid AND status = 'pending'
        AND (type = ANY (${types}::text[]) OR ${types}::text[] IS NULL)) AS oldest`;
  const latest = Number(clock?.latest);
  const starts = Array.from({ length: steps }, (_, n) => latest - (steps - 1 - n) * stepMs);
  const inWindow = rows.filter(({ at }) => at === null || (Number(at) >= Number(starts[0]) && Number(at) <= latest));
  const count = (keep: (row: (typeof rows)[number]) => boolean) => inWindow.filter(keep).length;
  const countOf = (names: string[]) =>
    Object.fromEntries([...new Set(names)].map((name) => [name, names.filter((other) => other === name).length]));
  return {
    byStatus: countOf(inWindow.map(({ status }) => status)),
    byType: countOf(inWindow.map(({ type }) => type)),
    series: starts.map((start) => ({
      at: new Date(start),
      done: count(({ at, status }) => Number(at) === start && status === 'done'),
      failed: attempts.reduce((total, { at, n }) => total + (Number(at) === start ? n : 0), 0),
    })),
    oldestPendingAt: clock?.oldest ?? null,
  };
}
