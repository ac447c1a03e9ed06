import type { JobKey, OrgId } from '@jobline/contracts';
import type { StoredBytes } from '../files/stored.js';
import { Prisma } from '../generated/client.js';
import type { Db } from '../postgres/client.js';
import { type Page, type PageRequest, toPage, upperBound } from '../postgres/page.js';

/** The metadata of a file. */
export interface ArtifactRow {
  name: string;
  contentType: string;
  sizeBytes: number;
  sha256: Buffer;
  createdAt: Date;
}

/** How much of a file is in memory at a time while it is read. */
const PART_BYTES = 256 * 1024;

/** A page of a job's artifacts, newest first, or null if the organization has no such job. */
export async function listArtifacts(
  db: Db,
  orgId: OrgId,
  id: string,
  page: PageRequest,
): Promise<Page<ArtifactRow> | null> {
  const job = await db.job.findFirst({ where: { orgId, id }, select: { key: true } });
  if (!job) return null;
  const below = upperBound(page.cursor, undefined, '');
  const rows = await db.$queryRaw<StoredRow[]>`
    SELECT name, content_type AS "contentType", size AS "sizeBytes", sha256, created_at AS "createdAt"
    FROM artifacts
    WHERE job_key = ${job.key}::uuid AND (created_at, name) < (${below.at}::timestamptz, ${below.id})
    ORDER BY created_at DESC, name DESC LIMIT ${page.limit + 1}`;
  return toPage(rows.map(toRow), page.limit, (row) => ({ createdAt: row.createdAt, id: row.name }));
}

export interface FoundArtifact extends ArtifactRow, StoredBytes {
  jobKey: JobKey;
}

/** A file of an organization's job and a way to read it, or null. */
export function findArtifact(db: Db, orgId: OrgId, id: string, name: string): Promise<FoundArtifact | null> {
  return findOne(db, Prisma.sql`j.org_id = ${orgId}::uuid AND j.id = ${id} AND a.name = ${name}`);
}

/** A file of an organization's job that is found by the key of the job, or null. */
export function findArtifactOf(db: Db, orgId: OrgId, jobKey: JobKey, name: string): Promise<FoundArtifact | null> {
  return findOne(db, Prisma.sql`j.org_id = ${orgId}::uuid AND j.key = ${jobKey}::uuid AND a.name = ${name}`);
}

/** An artifact of an organization's finished job: the only one, if no name is given. Null: there is none, or more than one. */
export async function findSourceArtifact(
  db: Db,
  orgId: OrgId,
  { job, ...named }: { job: string; artifact?: string | undefined },
): Promise<FoundArtifact | null> {
  const artifact = named.artifact ?? null;
  const names = await db.$queryRaw<{ name: string }[]>`
    SELECT a.name FROM submitted_jobs j JOIN finished_jobs f ON f.key = j.key JOIN artifacts a ON a.job_key = j.key
    WHERE j.org_id = ${orgId}::uuid AND j.id = ${job} AND (${artifact}::text IS NULL OR a.name = ${artifact}) LIMIT 2`;
  const [only, another] = names;
  return only && !another ? findArtifact(db, orgId, job, only.name) : null;
}

async function findOne(db: Db, which: Prisma.Sql): Promise<FoundArtifact | null> {
  const rows = await db.$queryRaw<(StoredRow & { key: JobKey; storeKey: string | null })[]>`
    SELECT a.job_key AS key, a.store_key AS "storeKey", a.name, a.content_type AS "contentType", a.size AS "sizeBytes", a.sha256,
      a.created_at AS "createdAt"
    FROM submitted_jobs j JOIN artifacts a ON a.job_key = j.key WHERE ${which}`;
  const [stored] = rows;
  if (!stored) return null;
  const { key: jobKey, storeKey } = stored;
  return {
    ...toRow(stored),
    jobKey,
    storeKeys: storeKey === null ? null : [storeKey],
    read: () => readParts(db, stored),
  };
}

interface StoredRow extends Omit<ArtifactRow, 'sha256'> {
  sha256: Uint8Array;
}

function toRow({ name, contentType, sizeBytes, sha256, createdAt }: StoredRow): ArtifactRow {
  return { name, contentType, sizeBytes, sha256: Buffer.from(sha256), createdAt };
}

/**
 * Holds no connection between two parts. Throws if the file is replaced or deleted meanwhile: parts of two versions
 * must not be mixed.
 */
async function* readParts(db: Db, { key, name, sizeBytes, sha256 }: StoredRow & { key: JobKey }) {
  for (let offset = 0; offset < sizeBytes; offset += PART_BYTES) {
    const rows = await db.$queryRaw<{ part: Uint8Array }[]>`
      SELECT substring(bytes FROM ${offset + 1} FOR ${PART_BYTES}) AS part
      FROM artifacts WHERE job_key = ${key}::uuid AND name = ${name} AND sha256 = ${sha256}`;
    if (!rows[0]) throw new Error('the artifact was replaced or deleted while it was read');
    yield rows[0].part;
  }
}
