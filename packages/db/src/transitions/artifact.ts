import { createHash } from 'node:crypto';
import { type JobKey, MAX_ARTIFACTS_PER_JOB } from '@jobline/contracts';
import type { DbSession } from '../client.js';

export interface NewArtifact {
  name: string;
  contentType: string;
  bytes: Uint8Array;
}

/** `lost`: a successor has the job, and nothing was written. `full`: the job has as many artifacts as it may. */
export type Saved = 'saved' | 'lost' | 'full';

/**
 * Keeps a file with a job that runs, if the token still holds it. The job's row is locked for that moment, so a
 * successor's files are never overwritten by a write of its predecessor that was on its way.
 */
export async function saveArtifact(
  db: DbSession,
  holder: { key: JobKey; token: string },
  { name, contentType, bytes }: NewArtifact,
): Promise<Saved> {
  const sha256 = createHash('sha256').update(bytes).digest();
  const rows = await db.$queryRaw<{ outcome: Saved }[]>`
    WITH held AS MATERIALIZED (
      SELECT key FROM jobs
      WHERE key = ${holder.key}::uuid AND claim_token = ${holder.token}::uuid AND status::text = 'processing'
      FOR SHARE),
    others AS MATERIALIZED (
      SELECT count(*) AS count FROM artifacts WHERE job_key = ${holder.key}::uuid AND name <> ${name}),
    saved AS (
      INSERT INTO artifacts (job_key, name, content_type, size, sha256, bytes, created_at)
      SELECT held.key, ${name}, ${contentType}, ${bytes.length}, ${sha256}, ${bytes},
        date_trunc('milliseconds', clock_timestamp())
      FROM held, others WHERE others.count < ${MAX_ARTIFACTS_PER_JOB}
      ON CONFLICT (job_key, name) DO UPDATE SET content_type = excluded.content_type, size = excluded.size,
        sha256 = excluded.sha256, bytes = excluded.bytes, created_at = excluded.created_at
      RETURNING job_key)
    SELECT CASE WHEN EXISTS (SELECT FROM saved) THEN 'saved' WHEN EXISTS (SELECT FROM held) THEN 'full'
      ELSE 'lost' END AS outcome`;
  return rows[0]?.outcome ?? 'lost';
}
