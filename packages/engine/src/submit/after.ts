import { AppError, type ErrorDetail, type OrgId, type VisibleTypes } from '@jobline/contracts';
import { type Db, isSameContent } from '@jobline/db';
import { type ConditionRefused, findSubmitted, listNamedJobs, MAX_WAITING_FOR_ONE } from '@jobline/db/job-transitions';
import type { JobDraft } from './enqueue.js';

/** The only job type that may have a payment. */
const PAYMENT_TYPE = 'mobile_money_stk';

interface Checked {
  jobs: readonly JobDraft[];
  mode: 'all' | 'each';
  /** Of the jobs of the request. What is found here is added. */
  issues: Map<JobDraft, ErrorDetail[]>;
  types: VisibleTypes;
  rejectedIds?: ReadonlySet<string>;
}

/**
 * Adds the issues of `after`: a job that it names does not exist, or has no payment, or waits for this one. With mode `each`, also
 * that the job is rejected. A rerun names jobs that were checked before.
 */
export async function addConditionIssues(db: Db, orgId: OrgId, checked: Checked): Promise<void> {
  const { jobs, mode, issues } = checked;
  const waiting = jobs.filter(({ after, rerunOf }) => after?.length && rerunOf === undefined);
  if (waiting.length === 0) return;
  const own = new Map(jobs.map((job) => [job.id, job]));
  const typeOf = await readTypes(db, orgId, checked, waiting, own);
  const cyclic = findCycles(jobs, own);
  const addIssue = (job: JobDraft, n: number, message: string) => {
    const path = `after[${n}]`;
    issues.set(job, [...(issues.get(job) ?? []), { path, message: `"${path}" ${message}` }]);
  };
  for (const job of waiting) {
    for (const [n, { id, when }] of (job.after ?? []).entries()) {
      const type = typeOf.get(id);
      if (type === undefined) addIssue(job, n, `is not a job of your organization or of this request: ${id}`);
      else if (cyclic.has(job) && cyclic.has(own.get(id))) addIssue(job, n, `waits for this job: ${id}`);
      else if (when === 'paid' && type !== PAYMENT_TYPE) addIssue(job, n, `is of a type without payments: ${id}`);
    }
  }
  if (mode === 'all') return;
  const naming = namingOf(waiting);
  const rejected = [...issues.keys()];
  for (let one = rejected.pop(); one; one = rejected.pop()) {
    for (const { job, n } of naming.get(one.id) ?? []) {
      if (issues.has(job)) continue;
      addIssue(job, n, 'is rejected, too');
      rejected.push(job);
    }
  }
}

/** By id: the jobs that name it in `after`, and where. */
function namingOf(jobs: readonly JobDraft[]): ReadonlyMap<string, { job: JobDraft; n: number }[]> {
  const naming = new Map<string, { job: JobDraft; n: number }[]>();
  for (const job of jobs) {
    for (const [n, { id }] of (job.after ?? []).entries()) {
      const places = naming.get(id) ?? [];
      places.push({ job, n });
      naming.set(id, places);
    }
  }
  return naming;
}

/** The error for jobs whose conditions cannot be stored. */
export function refusedCondition({ reason, id }: ConditionRefused): AppError {
  const message =
    reason === 'gone'
      ? `The job "${id}", which this job names, does not exist any more.`
      : `More than ${MAX_WAITING_FOR_ONE} pending jobs would wait for the job "${id}".`;
  return new AppError('conflict', message);
}

/** The types of the jobs that `after` may name, by id. */
async function readTypes(
  db: Db,
  orgId: OrgId,
  { mode, types, rejectedIds }: Checked,
  waiting: readonly JobDraft[],
  own: ReadonlyMap<string, JobDraft>,
): Promise<ReadonlyMap<string, string>> {
  const named = new Set(waiting.flatMap(({ after = [] }) => after.map(({ id }) => id)));
  const others = [...named].filter((id) => !own.has(id) && !rejectedIds?.has(id));
  const stored = others.length === 0 ? [] : await listNamedJobs(db, orgId, others);
  const found = new Map(
    stored.flatMap(({ id, type }): [string, string][] => (!types || types.includes(type) ? [[id, type]] : [])),
  );
  const inRequest = [...named].flatMap((id) => own.get(id) ?? []);
  // With mode `each`, a job whose id belongs to another one is rejected.
  const chosen = mode === 'each' ? inRequest.filter(({ contentHash }) => contentHash !== null) : [];
  const rows = chosen.length === 0 ? [] : await findSubmitted(db, chosen);
  const taken = new Set(
    rows.flatMap((row) => (isSameContent(row.contentHash, own.get(row.id)?.contentHash ?? null) ? [] : [row.id])),
  );
  for (const { id, type } of inRequest) if (!taken.has(id)) found.set(id, type);
  return found;
}

/** The jobs that wait for themselves, by way of other jobs of the request or directly. */
function findCycles(jobs: readonly JobDraft[], own: ReadonlyMap<string, JobDraft>): ReadonlySet<JobDraft | undefined> {
  const namesOf = (job: JobDraft) => (job.after ?? []).flatMap(({ id }) => own.get(id) ?? []);
  const forward = new Map(jobs.map((job) => [job, namesOf(job)]));
  const backward = new Map<JobDraft, JobDraft[]>(jobs.map((job) => [job, []]));
  for (const [job, names] of forward) for (const named of names) backward.get(named)?.push(job);
  const left = new Set(jobs);
  // What waits for no job that is left is in no cycle, and neither is what no job that is left waits for.
  for (const [to, from] of [
    [forward, backward],
    [backward, forward],
  ] as const) {
    const open = new Map([...left].map((job) => [job, (to.get(job) ?? []).filter((one) => left.has(one)).length]));
    const free = [...left].filter((job) => open.get(job) === 0);
    for (let job = free.pop(); job; job = free.pop()) {
      left.delete(job);
      for (const next of from.get(job) ?? []) {
        if (!left.has(next)) continue;
        const count = (open.get(next) ?? 0) - 1;
        open.set(next, count);
        if (count === 0) free.push(next);
      }
    }
  }
  return left;
}
