import type { JobKey, JobStatus, OrgId } from '@jobline/contracts';
import type { Db, DbSession } from '../postgres/client.js';
import { type JobSpec, specColumns, specOf } from './columns.js';
import { findJob } from './jobs.js';
import {
  PAYLOAD_COLUMNS,
  REDACTING_SETTINGS,
  type Reserve,
  type ShownPayload,
  type StoredPayload,
  showPayload,
} from './redact-payload.js';

/** What a rerun takes over from a job. */
export interface RerunSource extends JobSpec, ShownPayload {
  isFinished: boolean;
}

/** What a rerun of an organization's job takes over, or null. */
export async function findRerunSource(db: Db, orgId: OrgId, id: string, reserve: Reserve): Promise<RerunSource | null> {
  const job = await findJob(db, orgId, id, reserve);
  return job && toRerunSource(job);
}

/** A job that a bulk action runs again. `id`: null if the job was deleted. */
export interface BulkRerunSource extends RerunSource {
  id: string | null;
}

/**
 * What reruns of these jobs take over, in the order of the keys: of all of them, or of the first whose payloads have at
 * most `maxBytes` together; at least one.
 */
export async function listRerunSources(
  db: DbSession,
  keys: readonly JobKey[],
  maxBytes: number,
): Promise<BulkRerunSource[]> {
  const rows = await db.$queryRaw<StoredRow[]>`
    SELECT jobs.id, jobs.status, ${specColumns('jobs')}, ${PAYLOAD_COLUMNS}
    FROM (
      SELECT k.key, k.n, sum(octet_length(s.payload::text)) OVER (ORDER BY k.n) AS bytes
      FROM unnest(${keys}::uuid[]) WITH ORDINALITY AS k(key, n) LEFT JOIN submitted_jobs s ON s.key = k.key) AS k
    LEFT JOIN jobs ON jobs.key = k.key ${REDACTING_SETTINGS}
    WHERE k.n = 1 OR coalesce(k.bytes, 0) <= ${maxBytes}
    ORDER BY k.n`;
  return rows.map(({ id, payload, redactKeys, isDeleted, ...job }) => ({
    id,
    ...toRerunSource({ ...job, ...showPayload({ payload: payload ?? '{}', redactKeys, isDeleted }) }),
  }));
}

/** If the job was deleted, everything is null. Only the types of what is read then say so. */
type StoredRow = RerunRow & Omit<StoredPayload, 'payload'> & { id: string | null; payload: string | null };

interface RerunRow extends Omit<JobSpec, 'priority'> {
  status: JobStatus | null;
}

/** A rerun has the usual priority. */
function toRerunSource({ payload, isRedacted, status, ...job }: RerunRow & ShownPayload): RerunSource {
  const isFinished = status === 'done' || status === 'failed';
  return { ...specOf({ ...job, priority: 0 }), payload, isRedacted, isFinished };
}
