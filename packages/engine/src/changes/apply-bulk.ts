import { assertNever, type JobKey, type OrgId } from '@jobline/contracts';
import {
  type BulkRerunSource,
  type BulkStep,
  type DbSession,
  type DueBulk,
  findGoneSources,
  findStoredBytes,
  listRerunSources,
  specOf,
} from '@jobline/db';
import {
  countRetryable,
  deleteAllFinished,
  type InsertedJob,
  insertJobsIn,
  requestCancels,
  retryAllFailed,
} from '@jobline/db/job-transitions';
import { CANCELED } from '../attempt/outcome.js';
import { NOTES } from '../reporting/job-log.js';
import type { JobDraft, ReserveCapacity } from '../submit/enqueue.js';
import { conditionsOfRerun } from '../submit/parse-submission.js';
import { refsOf, sourcesOf } from '../submit/sources.js';
import { toJobDraft } from '../submit/submission.js';
import type { SubmitDeps } from '../submit/submit.js';
import { announceCanceled } from './cancel.js';
import type { ClearDeleted } from './delete.js';

export interface ApplyDeps extends SubmitDeps {
  clearDeleted: ClearDeleted;
  /** Whether the operator allows new jobs of a type. */
  isAllowedType(type: string): boolean;
  /** The jobs of an organization that stores more bytes do not run again. */
  maxStoredBytes: number;
}

/** What a step has done. Nothing of it is real before its transaction is committed. */
export interface Applied {
  step: BulkStep;
  /** New jobs, to be enqueued after the commit. */
  inserted: readonly InsertedJob[];
  /** What else follows the commit. If the process dies before it, reconcile, workers or retention do it later. */
  announce(): Promise<void> | void;
}

/** Size of the payloads that one step submits again: a statement is in memory several times while it is sent. */
const PAYLOAD_BYTES = 1024 * 1024;
/** Jobs that one step submits again: the sizes of all their payloads are read first. */
const RERUNS = 50;
/** How many times a step deletes a part of the logs of its jobs. Retention deletes the rest. */
const MAX_PARTS = 20;

/**
 * Applies a bulk action to some of its jobs, in a transaction. A job whose state does not allow it is skipped. Null: the
 * organization may have no more pending jobs, or store no more bytes, now.
 */
export async function apply(
  deps: ApplyDeps,
  tx: DbSession,
  bulk: DueBulk,
  reserve: ReserveCapacity,
): Promise<Applied | null> {
  if (bulk.keys.length === 0) return applied([], 0, () => undefined);
  switch (bulk.action) {
    case 'cancel':
      return cancelAll(deps, tx, bulk);
    case 'retry':
      return retryAll(deps, tx, bulk);
    case 'delete':
      return deleteAll(deps, tx, bulk);
    case 'rerun':
      return rerunAll(deps, tx, bulk, reserve);
    default:
      return assertNever(bulk.action);
  }
}

function applied(keys: readonly JobKey[], done: number, announce: Applied['announce']): Applied {
  return { step: { done, skipped: keys.length - done, failed: 0 }, inserted: [], announce };
}

async function cancelAll(deps: ApplyDeps, tx: DbSession, { orgId, keys, events }: DueBulk): Promise<Applied> {
  const targets = await requestCancels(tx, keys, CANCELED.message, !events);
  const canceled = targets.filter(({ was }) => was === 'pending' || was === 'processing');
  return applied(keys, canceled.length, () => {
    for (const job of canceled) announceCanceled(deps, orgId, job);
  });
}

/** The jobs wait in Postgres: the dispatcher adds them to their queues as fast as their workers take them. */
async function retryAll(deps: ApplyDeps, tx: DbSession, bulk: DueBulk): Promise<Applied | null> {
  const { orgId, keys: due, events } = bulk;
  if (await isFull(deps, tx, orgId)) return null;
  const keys = due.slice(0, await countRetryable(tx, orgId, due));
  const retried = await retryAllFailed(tx, keys, NOTES.retried, { isQuiet: !events });
  return applied(keys, retried.length, () => {
    if (retried.length > 0) deps.producer.publishWaiting();
    for (const { key, orgId, type } of retried) deps.events.emit('job.retried', { key, orgId, type });
  });
}

async function deleteAll(deps: ApplyDeps, tx: DbSession, { keys }: DueBulk): Promise<Applied> {
  const deleted = await deleteAllFinished(tx, keys);
  return applied(keys, deleted.length, async () => {
    if (deleted.length === 0) return;
    for (let part = 0; part < MAX_PARTS && (await deps.clearDeleted(deleted)); part++);
  });
}

async function rerunAll(
  deps: ApplyDeps,
  tx: DbSession,
  { orgId, keys, events }: DueBulk,
  reserve: ReserveCapacity,
): Promise<Applied | null> {
  if (await isFull(deps, tx, orgId)) return null;
  const sources = await fitting(deps, orgId, await listRerunSources(tx, keys.slice(0, RERUNS), PAYLOAD_BYTES));
  if (sources.length === 0) return null;
  const finished = await withSources(tx, orgId, sources.filter(canRunAgain));
  const allowed = finished.filter(({ type }) => deps.isAllowedType(type));
  const drafts: JobDraft[] = [];
  for (const { id, payload, after, ...source } of allowed) {
    const submission = {
      ...specOf(source),
      payload,
      runAt: null,
      rerunOf: id,
      after: conditionsOfRerun(payload, after),
    };
    drafts.push({ ...(await toJobDraft(deps.routes, orgId, submission)), isQuiet: !events });
  }
  return {
    step: { done: drafts.length, skipped: sources.length - finished.length, failed: finished.length - allowed.length },
    inserted: await insertJobsIn(tx, reserve(drafts)),
    announce: () => undefined,
  };
}

/** Those that take bytes from nothing that was deleted. */
async function withSources<J extends BulkRerunSource>(tx: DbSession, orgId: OrgId, jobs: readonly J[]): Promise<J[]> {
  const refs = jobs.map(({ type, payload }) => refsOf(sourcesOf(type, payload)) ?? []);
  const gone = new Set(await findGoneSources(tx, orgId, [...new Set(refs.flat())]));
  return jobs.filter((_, n) => !refs[n]?.some((ref) => gone.has(ref)));
}

async function isFull({ maxStoredBytes }: ApplyDeps, tx: DbSession, orgId: OrgId): Promise<boolean> {
  return (await findStoredBytes(tx, orgId)) > maxStoredBytes;
}

/** The sources before the first job whose rerun would exceed the organization's bound of pending jobs. */
async function fitting(
  { backlogLimit, isAllowedType }: ApplyDeps,
  orgId: OrgId,
  sources: readonly BulkRerunSource[],
): Promise<readonly BulkRerunSource[]> {
  const allowed = sources.filter((source) => canRunAgain(source) && isAllowedType(source.type));
  if (!backlogLimit || allowed.length === 0) return sources;
  const next = allowed[await backlogLimit.capacity(orgId, allowed.length)];
  return next ? sources.slice(0, sources.indexOf(next)) : sources;
}

function canRunAgain(job: BulkRerunSource): job is BulkRerunSource & { id: string } {
  return job.id !== null && job.isFinished && !job.isRedacted;
}
