import type { OrgId, VisibleTypes } from '@jobline/contracts';
import { Prisma } from '../generated/client.js';
import type { SourceRef } from '../jobs/columns.js';
import type { DbSession } from '../postgres/client.js';

/** A file, or an artifact of a job: the only one of the job, if it is not named. */
export interface NamedBytes {
  file?: string | undefined;
  job?: string | undefined;
  artifact?: string | undefined;
}

/** SQL: whether a file can be read: its upload is complete, it is not deleted, and it has not expired while no job needs it. */
export const IS_READABLE = Prisma.sql`(sha256 IS NOT NULL AND (expires_at > now() OR EXISTS (
  SELECT FROM job_sources u WHERE u.org_id = files.org_id AND u.source = 'file:' || files.id::text)))`;

/**
 * Whether each of these exists and can be read: a file, or an artifact of a job that is done. `types`: the job types that the caller
 * may see.
 */
export async function areReadable(
  db: DbSession,
  orgId: OrgId,
  sources: readonly NamedBytes[],
  types: VisibleTypes,
): Promise<boolean[]> {
  const column = (name: keyof NamedBytes) => sources.map((source) => source[name] ?? null);
  const rows = await db.$queryRaw<{ isReadable: boolean }[]>`
    SELECT CASE WHEN s.file IS NOT NULL THEN EXISTS (
        SELECT FROM files WHERE id = s.file AND org_id = ${orgId}::uuid AND ${IS_READABLE})
      ELSE (SELECT count(*) FROM (
        SELECT FROM submitted_jobs j JOIN finished_jobs f ON f.key = j.key JOIN artifacts a ON a.job_key = j.key
        WHERE j.org_id = ${orgId}::uuid AND j.id = s.job AND f.status::text = 'done'
          AND (${types}::text[] IS NULL OR j.type = ANY (${types}::text[]))
          AND (s.artifact IS NULL OR a.name = s.artifact) LIMIT 2) AS found) = 1 END AS "isReadable"
    FROM unnest(${column('file')}::uuid[], ${column('job')}::text[], ${column('artifact')}::text[])
      WITH ORDINALITY AS s(file, job, artifact, n)
    ORDER BY s.n`;
  return rows.map(({ isReadable }) => isReadable);
}

/** Those of these sources of an organization that do not exist (any more). */
export async function findGoneSources(
  db: DbSession,
  orgId: OrgId,
  sources: readonly SourceRef[],
): Promise<readonly SourceRef[]> {
  if (sources.length === 0) return sources;
  const [row] = await db.$queryRaw<
    [{ gone: SourceRef[] }]
  >`SELECT gone_sources(${orgId}::uuid, ${sources}::text[]) AS gone`;
  return row.gone;
}

/** SQL: the id of an unfinished job that takes bytes from a source; null if there is none. */
export function usedBy(orgId: Prisma.Sql, source: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`(
    SELECT j.id FROM job_sources r JOIN submitted_jobs j ON j.key = r.job_key
    WHERE r.org_id = ${orgId} AND r.source = ${source} LIMIT 1)`;
}
