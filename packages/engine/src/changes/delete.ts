import { AppError, type JobKey, type OrgId } from '@jobline/contracts';
import {
  type DeletedJob,
  deleteArtifactsOf,
  deleteFinished,
  deleteLinesOf,
  forgetDeleted,
} from '@jobline/db/job-transitions';
import { storePrefix } from '../attempt/save-artifact.js';
import type { WorkOptions } from '../options.js';
import type { EngineEvents } from '../reporting/events.js';

/**
 * Deletes a finished job with its payload, result, log, artifacts and payment, and the texts of its messages. When it
 * resolves, the job does not exist any more, and its id is free. Returns false if the organization has no such job.
 * Throws AppError `conflict` if the job is not finished, or if an unfinished job needs it.
 */
export type Delete = (orgId: OrgId, id: string) => Promise<boolean>;

/** How many times a request deletes a part of a large log. Retention deletes the rest. */
const MAX_PARTS = 20;

export function createDelete(deps: ClearDeletedDeps & { events: EngineEvents }): Delete {
  const clear = createClearDeleted(deps);

  /** Never rejects: the job is deleted already, and retention deletes what is left of it. */
  async function clearAll(job: DeletedJob): Promise<void> {
    try {
      for (let part = 0; part < MAX_PARTS && (await clear([job])); part++);
    } catch (error) {
      deps.events.emit('step.failed', { step: 'clear deleted job', error });
    }
  }

  return async (orgId, id) => {
    const result = await deleteFinished(deps.db, orgId, id);
    if (result.kind === 'gone') return false;
    if (result.kind === 'open') {
      throw new AppError('conflict', `Job "${id}" cannot be deleted: it has not finished. Cancel it first.`);
    }
    if (result.kind === 'needed') {
      throw new AppError(
        'conflict',
        `Job "${id}" cannot be deleted: a job that has not finished waits for it or refers to it.`,
      );
    }
    if (result.kind === 'used') {
      throw new AppError(
        'conflict',
        `Job "${id}" cannot be deleted: job "${result.by}" takes an artifact of it and has not finished.`,
      );
    }
    await clearAll(result.job);
    return true;
  };
}

/**
 * Deletes a limited number of log lines and files of deleted jobs, in the given order. Returns whether there are more. Safe
 * to repeat, and to call in several processes. Throws FilesKept of the last job whose files the artifact store did not
 * delete, after the data of the other jobs was deleted.
 */
export type ClearDeleted = (deleted: readonly DeletedJob[]) => Promise<boolean>;

/** The artifact store did not delete the files of a deleted job. */
export class FilesKept extends Error {
  readonly key: JobKey;

  constructor(key: JobKey, cause: unknown) {
    super(`the artifact store did not delete the files of the deleted job ${key}`, { cause });
    this.name = 'FilesKept';
    this.key = key;
  }
}

export type ClearDeletedDeps = Pick<WorkOptions, 'db' | 'artifacts'>;

/** Maximum number of rows that one statement deletes. An artifact is as much work as thousands of lines. */
const LINES = 5_000;
const ARTIFACTS = 10;

export function createClearDeleted({ db, artifacts }: ClearDeletedDeps): ClearDeleted {
  /**
   * Deletes the stored files of a few of the jobs, and returns the other jobs that may have some. Files without a record
   * are deleted too, because all files of a job are under its key. A store that is no longer configured is not changed.
   */
  async function emptyStore(deleted: readonly DeletedJob[]): Promise<{ untried: JobKey[]; failures: FilesKept[] }> {
    if (!artifacts) return { untried: [], failures: [] };
    const stored = deleted.filter(({ hasFiles }) => hasFiles).map(({ key }) => key);
    const deleting = stored.slice(0, ARTIFACTS).map((key) =>
      artifacts.deleteUnder(storePrefix(key)).then(
        () => null,
        (error: unknown) => new FilesKept(key, error),
      ),
    );
    const failures = (await Promise.all(deleting)).filter((failure) => failure !== null);
    return { untried: stored.slice(ARTIFACTS), failures };
  }

  return async (deleted) => {
    const keys = deleted.map(({ key }) => key);
    if ((await deleteLinesOf(db, keys, LINES)) === LINES) return true;
    if ((await deleteArtifactsOf(db, keys, ARTIFACTS)) === ARTIFACTS) return true;
    const { untried, failures } = await emptyStore(deleted);
    const left = new Set([...untried, ...failures.map(({ key }) => key)]);
    await forgetDeleted(
      db,
      keys.filter((key) => !left.has(key)),
    );
    const failure = failures.at(-1);
    if (failure) throw failure;
    return untried.length > 0;
  };
}
