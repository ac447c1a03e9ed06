import type { JobKey } from '@jobline/contracts';
import type { Db } from '@jobline/db';
import { type DeletedJob, deleteArtifactsOf, deleteLinesOf, forgetDeleted } from '@jobline/db/job-transitions';
import type { ArtifactStore } from '@jobline/handlers';
import { storePrefix } from '../worker/save-artifact.js';

/**
 * Deletes a limited number of log lines and files of deleted jobs. Returns whether there are more. Safe to repeat, and to
 * call in several processes.
 */
export type ClearDeleted = (deleted: readonly DeletedJob[]) => Promise<boolean>;

export interface ClearDeletedDeps {
  db: Db;
  /** If it is null, artifacts are stored in Postgres. */
  artifacts: ArtifactStore | null;
}

/** Maximum number of rows that one statement deletes. An artifact is as much work as thousands of lines. */
const LINES = 5_000;
const ARTIFACTS = 10;

export function createClearDeleted({ db, artifacts }: ClearDeletedDeps): ClearDeleted {
  /**
   * Deletes the stored files of a few of the jobs, and returns the jobs that may have more. Files without a record are
   * deleted too, because all files of a job are under its key. A store that is no longer configured is not changed.
   */
  async function emptyStore(deleted: readonly DeletedJob[]): Promise<JobKey[]> {
    if (!artifacts) return [];
    const stored = deleted.filter(({ hasFiles }) => hasFiles).map(({ key }) => key);
    await Promise.all(stored.slice(0, ARTIFACTS).map((key) => artifacts.deleteUnder(storePrefix(key))));
    return stored.slice(ARTIFACTS);
  }

  return async (deleted) => {
    const keys = deleted.map(({ key }) => key);
    if ((await deleteLinesOf(db, keys, LINES)) === LINES) return true;
    if ((await deleteArtifactsOf(db, keys, ARTIFACTS)) === ARTIFACTS) return true;
    const left = new Set(await emptyStore(deleted));
    await forgetDeleted(
      db,
      keys.filter((key) => !left.has(key)),
    );
    return left.size > 0;
  };
}
