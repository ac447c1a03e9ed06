import { type Filters, hasHidden, type Job, matches } from './filters.js';

/** The shown part of the list. Rows never move without user action. */
export interface JobList {
  rows: readonly Job[];
  /** The cursor of older jobs; null if there are none. */
  next: string | null;
  /** The ids of new jobs that a refetch would show. */
  fresh: ReadonlySet<string>;
}

export type Changes = ReadonlyMap<string, Job>;

/** Limits the memory for new jobs. */
const MAX_FRESH = 10_000;

/**
 * Applies changes without moving a row. Shown rows change in place, even if they no longer match the filter. Other jobs
 * are only counted, if a refetch of the shown pages would include them.
 */
export function applyChanges({ rows, next, fresh }: JobList, changes: Changes, filters: Filters): JobList {
  const known = new Set(rows.map(({ id }) => id));
  const oldest = next === null ? undefined : rows.at(-1);
  const counted = new Set(fresh);
  for (const [id, job] of changes) {
    const isInRange = !oldest || Date.parse(job.created_at) >= Date.parse(oldest.created_at);
    const isListed = matches(filters, job);
    if (known.has(id) || !isInRange) counted.delete(id);
    else if (isListed && counted.size < MAX_FRESH) counted.add(id);
    // If the summary cannot show whether a job is listed, a counted job stays counted.
    else if (!isListed && !hasHidden(filters)) counted.delete(id);
  }
  const isChanged = rows.some(({ id }) => changes.has(id));
  return { rows: isChanged ? rows.map((row) => newer(row, changes.get(row.id))) : rows, next, fresh: counted };
}

/** Adds a job to the changes and keeps the newer state. */
export function addChange(changes: Map<string, Job>, job: Job): void {
  const known = changes.get(job.id);
  changes.set(job.id, known ? newer(known, job) : job);
}

/** Returns the newer state. Events and responses may arrive in any order. */
function newer(row: Job, change: Job | undefined): Job {
  return change && Date.parse(change.updated_at) >= Date.parse(row.updated_at) ? change : row;
}

/** Adds the user's own new job on top. A job that is already shown stays in its place. */
export function withOwn({ rows, next, fresh }: JobList, job: Job): JobList {
  const others = new Set([...fresh].filter((id) => id !== job.id));
  return { rows: rows.some(({ id }) => id === job.id) ? rows : [job, ...rows], next, fresh: others };
}

/** Appends an older page without repeating rows. */
export function withOlder({ rows, fresh }: JobList, older: Pick<JobList, 'rows' | 'next'>): JobList {
  const known = new Set(rows.map(({ id }) => id));
  return { rows: [...rows, ...older.rows.filter(({ id }) => !known.has(id))], next: older.next, fresh };
}
