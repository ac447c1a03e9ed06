import type { DbSession } from '@jobline/db';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { hotIn, newJob, waitingJobs } from '../chaos/waiting-jobs.js';
import { createTestDatabase, type TestDatabase } from '../harness/index.js';

let database: TestDatabase;
let jobs: ReturnType<typeof waitingJobs>;
beforeEach(async () => {
  database = await createTestDatabase();
  jobs = waitingJobs(database.db, database.hot);
  await jobs.begin();
});
afterEach(() => database.drop());

/**
 * The scans of conditions that a connection has not reported to the server yet: of each index, and of the tables themselves. So there may be
 * scans of earlier transactions.
 */
async function scansOf(tx: DbSession): Promise<Map<string, number>> {
  const rows = await tx.$queryRaw<{ name: string; scans: number }[]>`
    SELECT c.relname::text AS name, pg_stat_get_xact_numscans(c.oid)::int AS scans
    FROM pg_class c WHERE c.relname ~ '^(job_conditions|unsettled_jobs)' AND c.relkind IN ('r', 'i')`;
  return new Map(rows.map(({ name, scans }) => [name, scans]));
}

/** The scans between two counts, without those of which there were none. */
function scansBetween(start: ReadonlyMap<string, number>, end: ReadonlyMap<string, number>): Record<string, number> {
  const counts = [...end].map(([name, scans]): [string, number] => [name, scans - (start.get(name) ?? 0)]);
  return Object.fromEntries(counts.filter(([, scans]) => scans !== 0));
}

it.each([0, 2_000])(
  'a job for which none waits looks up one index at its end, with %i conditions on other jobs',
  async (others) => {
    const ids = Array.from({ length: 20 }, (_, n) => `job-${n}`);
    await jobs.submit(...ids.map((id) => newJob(id)), ...['x', 'y'].map((id) => newJob(id)));
    for (const id of others > 0 ? ['x', 'y'] : []) {
      await jobs.submit(...Array.from({ length: others / 2 }, (_, n) => newJob(`after-${id}-${n}`, [id])));
    }
    await database.db.$executeRaw`ANALYZE job_conditions, unsettled_jobs, live_jobs, finished_jobs`;
    const [one, several] = [await jobs.start(ids.slice(0, 1)), await jobs.start(ids.slice(1))];

    const scans = await database.db.$transaction(
      async (tx) => {
        const start = await scansOf(tx);
        await one(hotIn(tx));
        const afterOne = await scansOf(tx);
        await several(hotIn(tx));
        return [scansBetween(start, afterOne), scansBetween(afterOne, await scansOf(tx))];
      },
      { maxWait: 60_000, timeout: 60_000 },
    );

    expect(scans).toEqual([{ job_conditions_open_idx: 1 }, { job_conditions_open_idx: 19 }]);
  },
);
