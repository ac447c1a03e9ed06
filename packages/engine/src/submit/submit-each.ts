import type { AppError, ErrorView, JobKey, Json, OrgId } from '@jobline/contracts';
import {
  findSubmitted,
  findUsedKey,
  type IdempotencyKey,
  insertEach,
  type KeyAnswer,
  type StoredEach,
  type UsedKey,
} from '@jobline/db/job-transitions';
import { activeTraceparent, traced } from '@jobline/runtime';
import type { JobDraft } from './enqueue.js';
import { idsTaken, invalidSubmissions, newJobIssues } from './submission-issues.js';
import { requestHash, type Submission, type Submitted, sortKeys, toJobDraft } from './submit.js';
import { inUse, keyReused, type SubmitBatchDeps, storeDrafts } from './submit-batch.js';

/** A job that is not stored, with the parts of an error response. The paths of its details begin at the job. */
export interface Rejected {
  error: Omit<ErrorView['error'], 'request_id'>;
}

/** A request whose jobs are stored or rejected one by one. */
export interface EachRequest {
  /** In order: the jobs to store, and those that were rejected before. The ids of the jobs differ. */
  entries: readonly (Submission | Rejected)[];
  /** A repeated request with the same key does nothing and gets the same answer, errors included. */
  idempotencyKey?: string | undefined;
  /** The endpoint that was called. The same key at another endpoint is a different request. */
  endpoint: string;
  /** What the request contained, with the rejected jobs. */
  content: Json;
  /** The span of the caller, used if tracing is off here. */
  traceparent?: string | null;
}

export interface EachAnswer {
  /** In the order of the request. */
  answers: (Submitted | Rejected)[];
  /** Whether an earlier request with the key got this answer. */
  isReplay: boolean;
}

/**
 * Stores those jobs that can be stored: in one transaction, and with one add to each of their queues. A job is rejected with
 * `validation_failed` if it has expired or names an unknown limit, and with `conflict` if its id belongs to a different job.
 * If all are rejected, the key is not used. Throws AppError `idempotency_key_reused`, `rate_limited` if too many jobs of the
 * organization are pending, and `conflict` if the key or an id is in use for too long.
 */
export type SubmitEach = (orgId: OrgId, request: EachRequest) => Promise<EachAnswer>;

type Entry = JobDraft | Rejected;

export function createSubmitEach(deps: SubmitBatchDeps): SubmitEach {
  async function submit(orgId: OrgId, request: EachRequest): Promise<EachAnswer> {
    const { idempotencyKey: key, endpoint, content } = request;
    const idempotencyKey = key === undefined ? null : { key, contentHash: requestHash(endpoint, sortKeys(content)) };
    const drafts = await draftsOf(deps, orgId, request);

    const checked = await checkNew(deps, orgId, drafts, idempotencyKey);
    if ('kind' in checked) return replayOf(checked);
    const { entries } = checked;
    const jobs = entries.filter(isDraft);
    if (jobs.length === 0) return { answers: answersOf(entries, NONE).map(({ answer }) => answer), isReplay: false };

    const stored = await storeDrafts(deps, jobs, (reserved) => {
      const insert = { jobs: reserved, answersOf: (state: State) => answersOf(entries, state).map(toKeyAnswer) };
      return insertEach(deps.db, orgId, insert, idempotencyKey);
    });
    if (stored.kind === 'used') return replayOf(stored);
    if (stored.kind === 'busy') throw inUse(idempotencyKey !== null);
    return { answers: answersOf(entries, stored).map(({ answer }) => answer), isReplay: false };
  }

  return (orgId, request) =>
    traced('submit', { attributes: { 'jobline.jobs': request.entries.length } }, () => submit(orgId, request));
}

async function draftsOf({ routes }: SubmitBatchDeps, orgId: OrgId, request: EachRequest): Promise<Entry[]> {
  const traceparent = activeTraceparent() ?? request.traceparent ?? null;
  const entries: Entry[] = [];
  for (const entry of request.entries) {
    entries.push('error' in entry ? entry : toJobDraft(await routes(entry.type), orgId, entry, traceparent));
  }
  return entries;
}

/**
 * Rejects the jobs that must not be stored, unless they are stored already, or returns the use of the key by an earlier
 * request. Throws if too many jobs would be pending. Reads nothing in the usual case.
 */
async function checkNew(
  { db, backlogLimit }: SubmitBatchDeps,
  orgId: OrgId,
  entries: readonly Entry[],
  idempotencyKey: IdempotencyKey | null,
): Promise<{ entries: readonly Entry[] } | UsedKey> {
  const drafts = entries.filter(isDraft);
  const issues = await newJobIssues(db, orgId, drafts);
  const excess = (await backlogLimit?.excess(orgId, drafts.length - issues.size)) ?? null;
  if (drafts.length > 0 && issues.size === 0 && excess === null) return { entries };
  const used = idempotencyKey && (await findUsedKey(db, orgId, idempotencyKey));
  if (used) return used;
  const doubtful = excess === null ? drafts.filter((draft) => issues.has(draft)) : drafts;
  const stored = new Set(doubtful.length === 0 ? [] : (await findSubmitted(db, doubtful)).map(({ id }) => id));
  const left = entries.map((entry) => {
    const own = isDraft(entry) && !stored.has(entry.id) ? issues.get(entry) : undefined;
    return own ? rejectedBy(invalidSubmissions(own)) : entry;
  });
  if (excess !== null && left.some((entry) => isDraft(entry) && !stored.has(entry.id))) throw excess;
  return { entries: left };
}

/** What became of the jobs whose ids were in use. */
type State = Pick<StoredEach, 'existing' | 'taken'>;

const NONE: State = { existing: [], taken: [] };

interface Answered {
  /** Null: the job was rejected. */
  key: JobKey | null;
  answer: Submitted | Rejected;
}

function answersOf(entries: readonly Entry[], { existing, taken }: State): Answered[] {
  const rows = new Map(existing.map((row) => [row.id, row]));
  const takenIds = new Set(taken.map(({ id }) => id));
  return entries.map((entry) => {
    if (!isDraft(entry)) return { key: null, answer: entry };
    const { id, key } = entry;
    if (takenIds.has(id)) return { key: null, answer: rejectedBy(idsTaken([{ path: 'id', id }])) };
    const row = rows.get(id);
    return { key: row?.key ?? key, answer: { id, status: row?.status ?? 'pending', replayed: row !== undefined } };
  });
}

function toKeyAnswer({ key, answer }: Answered): KeyAnswer {
  if (!('error' in answer)) return { key, answer: { id: answer.id, status: answer.status } };
  const { code, message, details } = answer.error;
  const listed = details?.map((detail): Json => ({ path: detail.path, message: detail.message }));
  return { key, answer: { error: { code, message, ...(listed && { details: listed }) } } };
}

function replayOf({ isSame, answer }: UsedKey): EachAnswer {
  if (!isSame) throw keyReused();
  return {
    answers: answer.map(({ id, status, error }) =>
      // The cast: toKeyAnswer wrote it.
      error === null ? { id, status, replayed: true } : { error: JSON.parse(error) as Rejected['error'] },
    ),
    isReplay: true,
  };
}

function isDraft(entry: Entry): entry is JobDraft {
  return !('error' in entry);
}

/** The parts of an error that belong to one job. */
export function rejectedBy({ code, message, details }: AppError): Rejected {
  return { error: { code, message, ...(details?.length && { details: [...details] }) } };
}
