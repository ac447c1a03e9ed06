import type { OrgId } from '@jobline/contracts';
import { Prisma } from '../generated/client.js';
import type { Db, DbSession } from '../postgres/client.js';
import { retryDeadlocks } from '../postgres/errors.js';
import { FIRST_ID, type Page, type PageRequest, readPage } from '../postgres/page.js';
import { IS_READABLE, usedBy } from './sources.js';
import type { StoredBytes } from './stored.js';

/** The metadata of a file. */
export interface FileRow {
  id: string;
  name: string;
  contentType: string;
  sizeBytes: number;
  sha256: Buffer;
  createdAt: Date;
  expiresAt: Date;
}

/** An upload that takes longer than this is deleted. */
const UPLOAD_LIMIT = '1 hour';

const COLUMNS = Prisma.sql`id, name, content_type AS "contentType", size AS "sizeBytes", sha256,
  created_at AS "createdAt", expires_at AS "expiresAt"`;

/** Starts an upload: from now on, what is stored of the file is deleted if the upload does not end. */
export async function startFile(
  db: DbSession,
  orgId: OrgId,
  file: Pick<FileRow, 'id' | 'name' | 'contentType'> & { isInStore: boolean },
): Promise<void> {
  await db.$executeRaw`
    INSERT INTO files (id, org_id, name, content_type, is_in_store, created_at, expires_at)
    VALUES (${file.id}::uuid, ${orgId}::uuid, ${file.name}, ${file.contentType}, ${file.isInStore}, now(),
      now() + ${UPLOAD_LIMIT}::interval)`;
}

/** Stores the nth part of a file in Postgres. */
export async function addPart(db: DbSession, id: string, n: number, bytes: Uint8Array): Promise<void> {
  await db.$executeRaw`INSERT INTO file_parts (file_id, n, bytes) VALUES (${id}::uuid, ${n}, ${bytes})`;
}

/** Makes an uploaded file readable. */
export async function finishFile(
  db: DbSession,
  orgId: OrgId,
  { id, sizeBytes, sha256, createdAt, expiresAt, parts }: FileRow & { parts: number },
): Promise<void> {
  const finished = await db.$executeRaw`
    UPDATE files SET size = ${sizeBytes}, sha256 = ${sha256}, parts = ${parts},
      created_at = ${createdAt.toISOString()}::timestamptz, expires_at = ${expiresAt.toISOString()}::timestamptz
    WHERE org_id = ${orgId}::uuid AND id = ${id}::uuid AND expires_at > now()`;
  if (finished === 0) throw new Error('an upload took too long, and its file was deleted');
}

/** A page of the files of an organization, newest first. */
export async function listFiles(db: DbSession, orgId: OrgId, page: PageRequest): Promise<Page<FileRow>> {
  const select = Prisma.sql`SELECT ${COLUMNS} FROM files WHERE org_id = ${orgId}::uuid AND ${IS_READABLE}`;
  const { items, next } = await readPage<StoredRow>(db, page, select);
  return { items: items.map(toRow), next };
}

export type FoundFile = FileRow & StoredBytes;

/** A file of an organization and a way to read it, or null. */
export async function findFile(db: Db, orgId: OrgId, id: string): Promise<FoundFile | null> {
  const [stored] = await db.$queryRaw<(StoredRow & { isInStore: boolean; parts: number })[]>`
    SELECT ${COLUMNS}, is_in_store AS "isInStore", parts FROM files
    WHERE id = ${id}::uuid AND org_id = ${orgId}::uuid AND ${IS_READABLE}`;
  if (!stored) return null;
  const { isInStore, parts, ...row } = stored;
  const keys = () => Array.from({ length: parts }, (_, n) => fileKey(id, n));
  return { ...toRow(row), storeKeys: isInStore ? keys() : null, read: () => readParts(db, id, parts) };
}

interface StoredRow extends Omit<FileRow, 'sha256'> {
  sha256: Uint8Array;
}

function toRow({ sha256, ...row }: StoredRow): FileRow {
  return { ...row, sha256: Buffer.from(sha256) };
}

/** The prefix of all parts of a file in the artifact store. */
export function filePrefix(id: string): string {
  return `files/${id}/`;
}

/** The key of the nth part in the artifact store. */
export function fileKey(id: string, n: number): string {
  return filePrefix(id) + n;
}

/** Holds no connection between two parts. Throws if the file is deleted meanwhile. */
async function* readParts(db: Db, id: string, parts: number) {
  for (let n = 0; n < parts; n++) {
    const [part] = await db.$queryRaw<{ bytes: Uint8Array }[]>`
      SELECT bytes FROM file_parts WHERE file_id = ${id}::uuid AND n = ${n}`;
    if (!part) throw new Error('the file was deleted while it was read');
    yield part.bytes;
  }
}

/** A file that no one can read any more, and of which something may be left. */
export interface DeletedFile {
  id: string;
  isInStore: boolean;
}

/**
 * Makes a file unreadable, so that it can be deleted. `gone`: the organization has no such file. Otherwise, the id of an unfinished
 * job that takes bytes from it.
 */
export async function deleteFile(
  db: DbSession,
  orgId: OrgId,
  id: string,
): Promise<DeletedFile | { usedBy: string } | 'gone'> {
  const [found] = await retryDeadlocks(
    () => db.$queryRaw<{ isInStore: boolean; isDeleted: boolean; usedBy: string | null }[]>`
      WITH gone AS (
        UPDATE files SET sha256 = NULL, expires_at = date_trunc('milliseconds', now())
        WHERE id = ${id}::uuid AND org_id = ${orgId}::uuid AND sha256 IS NOT NULL AND expires_at > now()
          AND NOT EXISTS (SELECT FROM job_sources s WHERE s.org_id = files.org_id AND s.source = 'file:' || files.id::text)
        RETURNING id)
      SELECT is_in_store AS "isInStore", EXISTS (SELECT FROM gone) AS "isDeleted", ${usedBy(Prisma.sql`files.org_id`, Prisma.sql`'file:' || files.id::text`)} AS "usedBy"
      FROM files WHERE id = ${id}::uuid AND org_id = ${orgId}::uuid AND ${IS_READABLE}`,
  );
  if (!found) return 'gone';
  if (found.isDeleted) return { id, isInStore: found.isInStore };
  return found.usedBy === null ? 'gone' : { usedBy: found.usedBy };
}

/** Ends an upload that failed. Returns whether no one can read the file: false if the upload is complete. */
export async function abandonFile(db: DbSession, orgId: OrgId, id: string): Promise<boolean> {
  const abandoned = await db.$executeRaw`
    UPDATE files SET expires_at = date_trunc('milliseconds', now())
    WHERE org_id = ${orgId}::uuid AND id = ${id}::uuid AND sha256 IS NULL`;
  return abandoned > 0;
}

/**
 * Makes at most `limit` expired files unreadable, by id and those after `after`, and returns them in this order. A file from which
 * an unfinished job takes bytes is left out.
 */
export async function takeExpiredFiles(
  db: DbSession,
  { after, limit }: { after: string | null; limit: number },
): Promise<DeletedFile[]> {
  const taken = await db.$queryRaw<DeletedFile[]>`
    WITH due AS MATERIALIZED (
      SELECT id FROM files
      WHERE expires_at < now() AND id > ${after ?? FIRST_ID}::uuid AND (sha256 IS NULL OR NOT ${IS_READABLE})
      ORDER BY id LIMIT ${limit} FOR UPDATE SKIP LOCKED)
    UPDATE files f SET sha256 = NULL FROM due WHERE f.id = due.id RETURNING f.id, f.is_in_store AS "isInStore"`;
  return taken.sort((a, b) => (a.id < b.id ? -1 : 1));
}

/** Deletes unreadable files with their parts in Postgres. */
export async function forgetFiles(db: DbSession, ids: readonly string[]): Promise<void> {
  await db.$executeRaw`DELETE FROM files WHERE id = ANY (${ids}::uuid[]) AND sha256 IS NULL AND expires_at <= now()`;
}
