import type { JobKey } from '@jobline/contracts';
import type { DbSession } from '../../postgres/client.js';
import type { HotDb } from '../../postgres/hot.js';
import { takesJobs } from '../workers.js';
import { UNDER_LIMIT, UNKNOWN } from './held.js';

/**
 * Parks a pending job whose type no worker ever had, if its organization wants such jobs to wait. False: it does not, or the type
 * is known now.
 */
export async function parkUnknown(db: DbSession, key: JobKey): Promise<boolean> {
  const parked = await db.$executeRaw`
    UPDATE live_jobs j SET queue = ${UNKNOWN} || j.type, place = 'waiting'
    WHERE j.key = ${key}::uuid AND j.status::text = 'pending'
      AND EXISTS (SELECT 1 FROM organization_settings s WHERE s.org_id = j.org_id AND s.unknown_types = 'wait')
      AND NOT EXISTS (SELECT 1 FROM job_types k WHERE k.type = j.type)`;
  return parked > 0;
}

/**
 * Moves parked jobs to the queues of their types, at most `limit` of each type that a live worker has. Returns how many. One index probe
 * for each of these types, however many jobs are parked. Trigger: a job that becomes held writes its lane (`wake_limit_lanes.sql`).
 */
export async function unparkKnown(hot: HotDb, { leaseMs, limit }: { leaseMs: number; limit: number }): Promise<number> {
  const rows = await hot.query<{ key: JobKey }>`
    WITH n AS MATERIALIZED (
      SELECT DISTINCT ON (n.type) n.type, n.queue
      FROM workers w CROSS JOIN LATERAL unnest(w.types, w.type_queues) AS n(type, queue)
      WHERE n.type IS NOT NULL AND n.queue IS NOT NULL AND ${takesJobs(leaseMs)} ORDER BY n.type, w.started_at DESC),
    p AS MATERIALIZED (
      SELECT p.key, n.queue FROM n, LATERAL (
        SELECT key FROM live_jobs WHERE status = 'pending' AND place = 'waiting' AND queue = ${UNKNOWN} || n.type
        ORDER BY queue, org_id, priority DESC, run_at, key LIMIT ${limit}::int FOR UPDATE SKIP LOCKED) AS p)
    UPDATE live_jobs j SET queue = p.queue, place = (CASE WHEN ${UNDER_LIMIT} THEN 'held' ELSE 'waiting' END)::job_place
    FROM p WHERE j.key = ANY ((SELECT array_agg(key) FROM p)::uuid[]) AND j.key = p.key AND j.status::text = 'pending'
    RETURNING j.key`;
  return rows.length;
}
