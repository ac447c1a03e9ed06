import type { ConditionView, JobKey, OrgId } from '@jobline/contracts';
import { Prisma } from '../generated/client.js';
import type { DbSession } from '../postgres/client.js';

/** SQL: the conditions of the job with this key as JSON, in the order of its `after`; null: it waited for no job. */
export function conditionsOfJob(key: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`(
    SELECT json_agg(json_build_object('id', after_id, 'when', until, 'state', state) ORDER BY n)
    FROM job_conditions WHERE job_key = ${key})`;
}

/** The ids that a job names in `after`. None, if the organization has no such job. */
export async function listAfterIds(db: DbSession, orgId: OrgId, id: string): Promise<string[]> {
  const rows = await db.$queryRaw<Pick<ConditionView, 'id'>[]>`
    SELECT c.after_id AS id FROM submitted_jobs s JOIN job_conditions c ON c.job_key = s.key
    WHERE s.org_id = ${orgId}::uuid AND s.id = ${id} ORDER BY c.n`;
  return rows.map((row) => row.id);
}

/** A job to whose result the payload of another one refers. */
export interface ReferredJob {
  key: JobKey;
  id: string;
  /** The size of its result as JSON. */
  bytes: number;
}

/** The jobs to whose results the payload of a job refers, as far as they are done. */
export function listReferred(db: DbSession, key: JobKey): Promise<ReferredJob[]> {
  return db.$queryRaw<ReferredJob[]>`
    SELECT c.after_key AS key, c.after_id AS id, octet_length(f.result::text)::int AS bytes
    FROM job_conditions c JOIN finished_jobs f ON f.key = c.after_key
    WHERE c.job_key = ${key}::uuid AND c.refers AND f.status::text = 'done' AND f.result IS NOT NULL`;
}

/** Stores what the payload of a job names, now that its references have values. */
export async function setAbouts(db: DbSession, key: JobKey, abouts: readonly string[]): Promise<void> {
  await db.$executeRaw`
    UPDATE submitted_jobs SET abouts = ${abouts}::text[] WHERE key = ${key}::uuid AND abouts IS DISTINCT FROM ${abouts}::text[]`;
}

/** The result of a done job as JSON text, or null. */
export async function readResult(db: DbSession, key: JobKey): Promise<string | null> {
  const [row] = await db.$queryRaw<{ result: string | null }[]>`
    SELECT result::text AS result FROM finished_jobs WHERE key = ${key}::uuid AND status::text = 'done'`;
  return row?.result ?? null;
}
