import { type Filters, type Job, matches } from './filters.js';

/** What is shown of the list. Rows never change places by themselves. */
export interface JobList {
  rows: readonly Job[];
  /** What older jobs are asked for with; null when there are none. */
  next: string | null;
  /** Jobs that came since, and that the list would have if it were fetched anew. */
  fresh: ReadonlySet<string>;
}

export type Changes = ReadonlyMap<string, Job>;

/** Beyond that nobody counts, and memory is finite. */
const MOST_FRESH = 10_000;

/**
 * What has happened, applied so that nothing moves: known rows change in place, even when they leave the filter; others
 * are only counted, if a fetch of what is shown would bring them.
 */
export function applyChanges({ rows, next, fresh }: JobList, changes: Changes, filters: Filters): JobList {
  const known = new Set(rows.map(({ id }) => id));
  const oldest = next === null ? undefined : rows.at(-1);
  const counted = new Set(fresh);
  for (const [id, job] of changes) {
    const isInRange = !oldest || Date.parse(job.created_at) >= Date.parse(oldest.created_at);
    if (known.has(id) || !isInRange || !matches(filters, job)) counted.delete(id);
    else if (counted.size < MOST_FRESH) counted.add(id);
  }
  const isTouched = rows.some(({ id }) => changes.has(id));
  return { rows: isTouched ? rows.map((row) => newer(row, changes.get(row.id))) : rows, next, fresh: counted };
}

/** Adds to what has happened. */
export function noteChange(changes: Map<string, Job>, job: Job): void {
  const known = changes.get(job.id);
  changes.set(job.id, known ? newer(known, job) : job);
}

/** Events and answers to requests may overtake each other: the later state stays. */
function newer(row: Job, change: Job | undefined): Job {
  return change && Date.parse(change.updated_at) >= Date.parse(row.updated_at) ? change : row;
}

/** One's own new job on top; one that is there already stays where it is. */
export function withOwn({ rows, next, fresh }: JobList, job: Job): JobList {
  const others = new Set([...fresh].filter((id) => id !== job.id));
  return { rows: rows.some(({ id }) => id === job.id) ? rows : [job, ...rows], next, fresh: others };
}

/** An older page at the end, without what it repeats. */
export function withOlder({ rows, fresh }: JobList, older: Pick<JobList, 'rows' | 'next'>): JobList {
  const known = new Set(rows.map(({ id }) => id));
  return { rows: [...rows, ...older.rows.filter(({ id }) => !known.has(id))], next: older.next, fresh };
}
