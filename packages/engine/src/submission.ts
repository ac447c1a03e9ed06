import { createHash } from 'node:crypto';
import type { JobKey, JobStatus, Json, JsonObject, OrgId } from '@jobline/contracts';
import type { NewJob, SubmittedRow } from '@jobline/db/job-transitions';
import { newId } from '@jobline/runtime';

/** What a caller asks for, checked and in one spelling. */
export interface Submission {
  /** Chosen by the caller; absent: the service makes one. */
  id?: string | undefined;
  type: string;
  payload: JsonObject;
  maxRetries: number;
  priority: number;
  /** Not before then; null or past: now. */
  runAt: Date | null;
}

export interface Submitted {
  id: string;
  status: JobStatus;
  /** Whether this repeats an earlier submission of the same id and content. */
  replayed: boolean;
}

/** A job before it is known whether its queue has room. */
export type JobDraft = Omit<NewJob, 'hasCapacity'>;

export function toNewJob(queue: string, orgId: OrgId, submission: Submission, traceparent: string | null): JobDraft {
  const { id, type, payload, maxRetries, priority, runAt } = submission;
  const key = newId() as JobKey; // made here, so that it is one
  return {
    key,
    orgId,
    id: id ?? key,
    type,
    queue,
    payload: JSON.stringify(payload),
    contentHash: id === undefined ? null : contentHash(submission),
    priority,
    maxRetries,
    runAt,
    traceparent,
  };
}

/** The same for two submissions that ask for the same, whatever their spelling and the order of their keys. */
function contentHash(submission: Submission): Uint8Array<ArrayBuffer> {
  return sha256(content(submission));
}

/** The same for two requests of one endpoint with the same submissions in the same order, their ids included. */
export function requestHash(endpoint: string, submissions: readonly Submission[]): Uint8Array<ArrayBuffer> {
  return sha256([endpoint, submissions.map((submission) => [submission.id ?? null, content(submission)])]);
}

export function isSameContent(existing: SubmittedRow, job: JobDraft): boolean {
  if (!existing.contentHash || !job.contentHash) return false;
  return Buffer.compare(existing.contentHash, job.contentHash) === 0;
}

function content({ type, payload, maxRetries, priority, runAt }: Submission): Json {
  return [type, sortKeys(payload), maxRetries, priority, runAt?.toISOString() ?? null];
}

function sha256(value: Json): Uint8Array<ArrayBuffer> {
  return new Uint8Array(createHash('sha256').update(JSON.stringify(value)).digest());
}

/** Depth is bounded by the check of the payload. Objects become lists of pairs, so that no key is special. */
function sortKeys(value: Json): Json {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (typeof value !== 'object' || value === null) return value;
  const keys = Object.keys(value).sort();
  return { object: keys.map((key) => [key, sortKeys(value[key] ?? null)]) };
}
