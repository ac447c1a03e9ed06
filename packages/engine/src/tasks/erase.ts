import type { JobKey, OrgId } from '@jobline/contracts';
import {
  type Db,
  type ErasedFile,
  eraseMessages,
  eraseMessagesOf,
  eraseUnusedFiles,
  finishErasure,
  forgetEntries,
  type HotDb,
  isErasureOpen,
  limitStatements,
  listJobsToErase,
  listMessagesToErase,
  lockDueErasure,
  nextErasureMs,
  retryDeadlocks,
  saveErasureStep,
} from '@jobline/db';
import {
  type CancelTarget,
  type EndedJob,
  type ErasedJob,
  eraseAllFinished,
  failNeeding,
  requestCancels,
} from '@jobline/db/job-transitions';
import { type ArtifactStore, addressForms } from '@jobline/handlers';
import { elapsedMs } from '@jobline/runtime';
import { CANCELED } from '../attempt/outcome.js';
import { announceCanceled } from '../changes/cancel.js';
import { createClearDeleted } from '../changes/delete.js';
import { createClearFiles } from '../files/files.js';
import { entryOf } from '../queue/entry.js';
import type { Producer } from '../queue/producer.js';
import type { EngineEvents } from '../reporting/events.js';
import type { Task } from './task.js';

export interface EraseDeps {
  db: Db;
  hot: HotDb;
  producer: Producer;
  events: EngineEvents;
  /** If it is null, artifacts are stored in Postgres. */
  artifacts: ArtifactStore | null;
}

/** Jobs or messages of one step, and jobs that fail in it because they need one of them. */
const STEP = 200;
const NEEDING = 1_000;
/** How many parts of the logs and artifacts of a step are deleted with it. Retention deletes the rest. */
const MAX_PARTS = 100;
/** The process that takes a request begins at once. Another one finds the erasure after this time at most. */
const IDLE_MS = 10_000;
/** The pause while other processes work on what is due. */
const BUSY_MS = 100;
/** The pause before running jobs and calls to providers are looked at again. */
const RUNNING_MS = 1_000;
const FAILED_MS = 2_000;
/** Time limits of a transaction: for its wait for a connection, and for its duration. */
const LIMITS = { maxWait: 5_000, timeout: 15_000 };
const STATEMENT_LIMITS_MS = { lock: 1_000, statement: 10_000 };
/** Before and after the id of the job that a failed one needs. */
const ERASED = ['job "', '" is gone: its data was erased'] as const;

const NOTHING = { jobs: 0, messages: 0, files: 0 };

interface Step {
  orgId: OrgId;
  canceled: readonly CancelTarget[];
  failed: readonly EndedJob[];
  jobs: readonly ErasedJob[];
  files: readonly ErasedFile[];
}

/**
 * Carries out erasures, step by step, and takes organizations in turn. A step and its progress are one transaction: another process
 * continues after the death of this one. While there is more to do, it uses at most a third of the time. Every API process does this.
 */
export function createErase({ db, hot, producer, events, artifacts }: EraseDeps): Task {
  const clear = createClearDeleted({ db, artifacts });
  const clearFiles = createClearFiles({ db, artifacts });
  let after: OrgId | null = null;

  /** Null: no step is due. */
  async function step(): Promise<Step | null> {
    return db.$transaction(async (tx) => {
      await limitStatements(tx, STATEMENT_LIMITS_MS);
      const erasure = await lockDueErasure(tx, after);
      after = erasure?.orgId ?? null;
      if (!erasure) return null;
      const { id, orgId } = erasure;
      const none = { orgId, canceled: [], failed: [], jobs: [], files: [] };
      const forms = erasure.address === null ? [] : addressForms(erasure.address);
      const found = await listJobsToErase(tx, erasure, forms, STEP);
      const sent = found.length < STEP ? await listMessagesToErase(tx, erasure, forms, STEP) : [];
      const keys = [...new Set([...found, ...sent.flatMap(({ jobKey }) => jobKey ?? [])])];
      if (keys.length + sent.length === 0) {
        // Runs of canceled jobs, and calls to providers, have to end first.
        if (await isErasureOpen(tx, erasure, forms)) await saveErasureStep(tx, id, NOTHING, RUNNING_MS);
        else await finishErasure(tx, erasure, forms);
        return none;
      }
      const failed = keys.length > 0 ? await failNeeding(tx, keys, NEEDING, ERASED) : [];
      if (failed.length === NEEDING) {
        await saveErasureStep(tx, id, NOTHING, 0);
        return { ...none, failed };
      }
      const canceled = await requestCancels(tx, keys, CANCELED.message, true);
      const ended = canceled.flatMap(({ key, was }): JobKey[] => (was === 'processing' ? [] : [key]));
      const direct = sent.filter(({ jobKey }) => jobKey === null);
      await forgetEntries(tx, orgId, [...ended, ...direct.map((message) => message.id)]);
      const messages = (await eraseMessagesOf(tx, ended)) + (await eraseMessages(tx, direct));
      const jobs = await eraseAllFinished(tx, ended);
      const files = await eraseUnusedFiles(tx, orgId, filesOf(jobs));
      await saveErasureStep(tx, id, { jobs: jobs.length, messages, files: files.length }, 0);
      return { orgId, canceled, failed, jobs, files };
    }, LIMITS);
  }

  function announce({ orgId, canceled, failed }: Step): void {
    for (const job of canceled) {
      if (job.was === 'pending' || job.was === 'processing') announceCanceled({ producer, events }, orgId, job);
    }
    for (const job of failed) {
      producer.drop(entryOf(job));
      events.emit('job.failed', { key: job.key, orgId, type: job.type, errorCode: 'dependency_failed' });
    }
  }

  /** Never rejects: the rows are deleted already, and retention deletes what is left of them. */
  async function clearStep({ jobs, files }: Step): Promise<void> {
    try {
      for (let part = 0; jobs.length > 0 && part < MAX_PARTS && (await clear(jobs)); part++);
      await clearFiles(files);
    } catch (error) {
      events.emit('step.failed', { step: 'clear erased data', error });
    }
  }

  async function round(): Promise<number> {
    const startedAt = performance.now();
    const dueInMs = (await nextErasureMs(hot)) ?? IDLE_MS;
    if (dueInMs > 0) return Math.min(IDLE_MS, dueInMs);
    const isFromStart = after === null;
    const done = await retryDeadlocks(step);
    // Another process may work on what is due.
    if (!done) return isFromStart ? BUSY_MS : 0;
    announce(done);
    await clearStep(done);
    return 2 * elapsedMs(startedAt);
  }

  return {
    name: 'erase',
    round,
    failedMs: FAILED_MS,
    onWake: (wake) => void events.on('erasure.requested', wake),
  };
}

/** The ids of the files that jobs took bytes from. */
function filesOf(jobs: readonly ErasedJob[]): string[] {
  const sources = jobs.flatMap((job) => job.sources ?? []);
  return [...new Set(sources.flatMap((source) => (source.startsWith('file:') ? [source.slice('file:'.length)] : [])))];
}
