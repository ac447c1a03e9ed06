import { createHash } from 'node:crypto';
import { AppError, type JsonObject, type OrgId } from '@jobline/contracts';
import {
  abandonFile,
  addPart,
  type Db,
  type DbSession,
  type DeletedFile,
  deleteFile,
  type FileRow,
  fileKey,
  filePrefix,
  finishFile,
  forgetFiles,
  readNowMs,
  retryDeadlocks,
  startFile,
  useCreationKey,
} from '@jobline/db';
import type { ArtifactStore } from '@jobline/handlers';
import { newId } from '@jobline/runtime';
import type { EngineEvents } from '../reporting/events.js';
import { requestKey } from '../submit/submission.js';
import { keyReused } from '../submit/submit.js';
import { rethrowUnavailable } from './read-stored.js';

/** A file that a caller sends. */
export interface Upload {
  name: string;
  contentType: string;
  /** How long it is kept. */
  days: number;
  idempotencyKey: string | undefined;
  /** Its bytes. At most one part of them is in memory. */
  parts: AsyncIterable<Uint8Array>;
  signal: AbortSignal;
}

/** The metadata of a file, as callers get it and as an idempotency key keeps it. */
export interface FileView extends JsonObject {
  id: string;
  name: string;
  content_type: string;
  size: number;
  sha256: string;
  created_at: string;
  expires_at: string;
}

export function toFileView({ id, name, contentType, sizeBytes, sha256, createdAt, expiresAt }: FileRow): FileView {
  return {
    id,
    name,
    content_type: contentType,
    size: sizeBytes,
    sha256: sha256.toString('hex'),
    created_at: createdAt.toISOString(),
    expires_at: expiresAt.toISOString(),
  };
}

interface FilesDeps {
  db: Db;
  /** Null: files are stored in Postgres. */
  artifacts: ArtifactStore | null;
  events: EngineEvents;
}

export type Files = ReturnType<typeof createFiles>;

const DAY_MS = 24 * 3_600_000;
/** Time limits of a transaction: for its wait for a connection, and for its duration. */
const LIMITS = { maxWait: 5_000, timeout: 15_000 };

/** Stores and deletes the files of organizations. */
export function createFiles({ db, artifacts, events }: FilesDeps) {
  const clear = createClearFiles({ db, artifacts });

  /**
   * Never rejects: retention deletes what is left of the file. Keeps the file if its upload is complete, and only the answer of
   * Postgres was lost.
   */
  async function clearNow(orgId: OrgId, file: DeletedFile): Promise<void> {
    try {
      if (await abandonFile(db, orgId, file.id)) await clear([file]);
    } catch (error) {
      events.emit('step.failed', { step: 'delete file', error });
    }
  }

  async function storeParts(id: string, { contentType, parts, signal }: Upload) {
    const hash = createHash('sha256');
    let sizeBytes = 0;
    let n = 0;
    for await (const bytes of parts) {
      hash.update(bytes);
      sizeBytes += bytes.length;
      if (artifacts) await artifacts.put(fileKey(id, n), { contentType, bytes }, signal).catch(rethrowUnavailable);
      else await addPart(db, id, n, bytes);
      n++;
    }
    return { sizeBytes, parts: n, sha256: hash.digest() };
  }

  return {
    /** Stores a file. A request with an idempotency key that was used before gets the first answer, and its bytes are deleted. */
    async store(orgId: OrgId, upload: Upload): Promise<{ file: FileView; isReplay: boolean }> {
      const { name, contentType, days, idempotencyKey } = upload;
      const id = newId();
      const isInStore = artifacts !== null;
      await startFile(db, orgId, { id, name, contentType, isInStore });
      let isKept = false;
      try {
        const stored = await storeParts(id, upload);
        const content = () => [name, contentType, days, stored.sha256.toString('hex')];
        const key = requestKey('/files', idempotencyKey, content);
        const finish = async (tx: DbSession) => {
          const createdAt = new Date(await readNowMs(tx));
          const expiresAt = new Date(createdAt.getTime() + days * DAY_MS);
          const row = { id, name, contentType, createdAt, expiresAt, ...stored };
          const file = toFileView(row);
          const used = key && (await useCreationKey(tx, orgId, key, file));
          if (used && !used.isSame) throw keyReused();
          // The cast: it is the answer of an earlier request to this endpoint.
          if (used) return { file: used.answer as FileView, isReplay: true };
          await finishFile(tx, orgId, row);
          return { file, isReplay: false };
        };
        const answer = await retryDeadlocks(() => db.$transaction(finish, LIMITS));
        isKept = !answer.isReplay;
        return answer;
      } finally {
        if (!isKept) await clearNow(orgId, { id, isInStore });
      }
    },

    /** Deletes a file. Returns false if the organization has none with this id. Throws AppError `conflict` if a job needs it. */
    async delete(orgId: OrgId, id: string): Promise<boolean> {
      const deleted = await deleteFile(db, orgId, id);
      if (deleted === 'gone') return false;
      if ('usedBy' in deleted) {
        throw new AppError(
          'conflict',
          `File ${id} cannot be deleted: job "${deleted.usedBy}" takes bytes from it and has not finished.`,
        );
      }
      await clearNow(orgId, deleted);
      return true;
    },
  };
}

/** Deletes what is left of files that no one can read. Throws the last error of the artifact store, after the others were deleted. */
export function createClearFiles({ db, artifacts }: Pick<FilesDeps, 'db' | 'artifacts'>) {
  return async (files: readonly DeletedFile[]): Promise<void> => {
    const results = await Promise.allSettled(
      // A store that is no longer configured is not changed.
      files.map(async ({ id, isInStore }) => isInStore && artifacts?.deleteUnder(filePrefix(id))),
    );
    await forgetFiles(
      db,
      files.flatMap(({ id }, n) => (results[n]?.status === 'fulfilled' ? [id] : [])),
    );
    const failed = results.findLast((result) => result.status === 'rejected');
    if (failed) throw failed.reason;
  };
}
