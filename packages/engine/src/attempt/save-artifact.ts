import { assertNever, type JobKey, MAX_ARTIFACTS_PER_JOB } from '@jobline/contracts';
import { findStoredBytes, untilPostgresAnswers } from '@jobline/db';
import { saveArtifact as saveArtifactRow, sha256Of } from '@jobline/db/job-transitions';
import { type Artifact, artifactIssue } from '@jobline/handlers';
import type { WorkOptions } from '../options.js';
import { NOTES } from '../reporting/job-log.js';
import type { LargeWrites } from './large-writes.js';
import type { Attempt } from './runs.js';

/**
 * Stores a file that a running handler has made, and adds a note to the log of the job. Repeats the write while
 * Postgres does not answer, for as long as the handler has time. Throws if the file is not recorded. With an artifact
 * store the bytes are stored there first; bytes without a record are deleted later together with the other files of
 * the job.
 */
export type SaveArtifact = (attempt: Attempt, artifact: Artifact) => Promise<void>;

export function createSaveArtifact({
  db,
  artifacts,
  maxStoredBytes,
  writeInTurn,
}: Pick<WorkOptions, 'db' | 'artifacts' | 'maxStoredBytes'> & { writeInTurn: LargeWrites }): SaveArtifact {
  return async (attempt, artifact) => {
    const { claim, log } = attempt;
    const signal = attempt.stop.signal();
    const problem = artifactIssue(artifact);
    if (problem) throw new Error(problem);
    const storedBytes = await untilPostgresAnswers(() => findStoredBytes(db, claim.orgId), { signal });
    if (storedBytes > maxStoredBytes) {
      throw new Error(`your organization stores about ${storedBytes} bytes; the limit is ${maxStoredBytes}`);
    }
    const storeKey =
      artifacts && `${storePrefix(claim.key)}${artifact.name}/${sha256Of(artifact.bytes).toString('hex')}`;
    if (storeKey) await artifacts.put(storeKey, artifact, signal);
    const length = storeKey ? 0 : artifact.bytes.length;
    const save = () => saveArtifactRow(db, claim, { ...artifact, storeKey });
    const outcome = await untilPostgresAnswers(() => writeInTurn({ orgId: claim.orgId, length, signal }, save), {
      signal,
    });
    switch (outcome) {
      case 'saved':
        return log.write('info', NOTES.saved(artifact), 'note');
      case 'full':
        throw new Error(`a job can have at most ${MAX_ARTIFACTS_PER_JOB} artifacts`);
      case 'lost':
        throw new Error('the worker has lost its claim on this job');
      default:
        return assertNever(outcome);
    }
  };
}

/** Returns the prefix of all files of a job in the store. */
export function storePrefix(key: JobKey): string {
  return `${key}/`;
}
