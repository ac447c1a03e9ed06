import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { Store } from '../peer.js';

/** Reads the jobs of one organization in the product's own tables. `clear` deletes those of all organizations. */
export interface JoblineStore extends Store {
  /** Resolves once as many workers have registered. */
  hasWorkers(count: number): Promise<void>;
}

const WORKER_LIMIT_MS = 30_000;
/** A successful attempt writes two lines: its start and its end. */
const LINES_PER_JOB = 2;

export async function openJoblineStore(databaseUrl: string, orgId: string): Promise<JoblineStore> {
  const db = new pg.Client({ connectionString: databaseUrl });
  await db.connect();

  return {
    async hasUnfinished() {
      const { rowCount } = await db.query(`SELECT 1 FROM live_jobs WHERE org_id = $1 LIMIT 1`, [orgId]);
      return rowCount !== 0;
    },
    async fault(submitted) {
      const { rows } = await db.query(
        `SELECT count(*)::int AS jobs,
                count(*) FILTER (WHERE status = 'done' AND attempt = 1)::int AS done,
                count(*) FILTER (WHERE lines = $1)::int AS logged
           FROM jobs LEFT JOIN (SELECT job_key, count(*) AS lines FROM job_logs GROUP BY job_key) l ON job_key = key
          WHERE org_id = $2`,
        [LINES_PER_JOB, orgId],
      );
      const { jobs, done, logged } = rows[0];
      if (jobs === submitted && done === submitted && logged === submitted) return null;
      return `of ${submitted} jobs ${jobs} are recorded, ${done} done, ${logged} with ${LINES_PER_JOB} log lines`;
    },
    async clear() {
      await db.query('TRUNCATE submitted_jobs, live_jobs, finished_jobs, job_logs');
    },
    async hasWorkers(count) {
      for (const until = performance.now() + WORKER_LIMIT_MS; performance.now() < until; await sleep(20)) {
        const { rowCount } = await db.query('SELECT 1 FROM workers LIMIT $1', [count]);
        if (rowCount === count) return;
      }
      throw new Error(`not ${count} workers within ${WORKER_LIMIT_MS / 1_000} s`);
    },
    close: () => db.end(),
  };
}
