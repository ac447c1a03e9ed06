import type { Db } from '../postgres/client.js';

/**
 * Whether events were written by transactions whose numbers this Postgres has not reached yet: then it was filled from
 * a dump of another one, which keeps the numbers. Readers of events would wait, and would later get old events as new
 * ones. Only the newest job and its organization's newest line are read, so the cost does not grow with the data.
 */
export async function isFromAnotherPostgres(db: Db): Promise<boolean> {
  const [row] = await db.$queryRaw<{ is_ahead: boolean | null }[]>`
    WITH newest AS (SELECT org_id, xid FROM submitted_jobs ORDER BY key DESC LIMIT 1)
    SELECT greatest(xid, (SELECT l.xid FROM job_logs l WHERE l.org_id = newest.org_id ORDER BY l.xid DESC, l.id DESC LIMIT 1))
      >= pg_snapshot_xmax(pg_current_snapshot()) AS is_ahead
    FROM newest`;
  return row?.is_ahead ?? false;
}
