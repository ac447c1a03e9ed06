import { createHash } from 'node:crypto';
import { type JobKey, MAX_ARTIFACTS_PER_JOB } from '@jobline/contracts';
import type { DbSession } from '../../postgres/client.js';

export interface NewArtifact {
  name: string;
  contentType: string;
  bytes: Uint8Array;
  /** The artifact store's key of the bytes; null: the bytes are to be stored in Postgres. */
  storeKey: string | null;
}

/** The hash of the bytes, as rows store it. */
export function sha256Of(bytes: Uint8Array): Buffer {
  return createHash('sha256').update(bytes).digest();
}

/**
 * `lost`: another run has claimed the job, and nothing was written. `full`: the job has the maximum number of
 * artifacts.
 */
export type Saved = 'saved' | 'lost' | 'full';

/**
 * Stores a file of a running job, if the token still holds the job. The job's row is locked meanwhile, so a delayed
 * write of an earlier run never overwrites the files of a later one.
 */
export async function saveArtifact(
  db: DbSession,
  holder: { key: JobKey; token: string },
  { name, contentType, bytes, storeKey }: NewArtifact,
): Promise<Saved> {
  const sha256 = sha256Of(bytes);
  const kept = storeKey === null ? bytes : null;
  const rows = await db.$queryRaw<{ outcome: Saved }[]>`
    WITH held AS MATERIALIZED (
      SELECT key FROM live_jobs
      WHERE key = ${holder.key}::uuid AND claim_token = ${holder.token}::uuid AND status::text = 'processing'
      FOR SHARE),
    others AS MATERIALIZED (
      SELECT count(*) AS count FROM artifacts WHERE job_key = ${holder.key}::uuid AND name <> ${name}),
    saved AS (
      INSERT INTO artifacts (job_key, name, content_type, size, sha256, bytes, store_key, created_at)
      SELECT held.key, ${name}, ${contentType}, ${bytes.length}, ${sha256}, ${kept}::bytea, ${storeKey},
        date_trunc('milliseconds', clock_timestamp())
      FROM held, others WHERE others.count < ${MAX_ARTIFACTS_PER_JOB}
      ON CONFLICT (job_key, name) DO UPDATE SET content_type = excluded.content_type, size = excluded.size,
        sha256 = excluded.sha256, bytes = excluded.bytes, store_key = excluded.store_key, created_at = excluded.created_at
      RETURNING job_key)
    SELECT CASE WHEN EXISTS (SELECT FROM saved) THEN 'saved' WHEN EXISTS (SELECT FROM held) THEN 'full'
      ELSE 'lost' END AS outcome`;
  return rows[0]?.outcome ?? 'lost';
}
