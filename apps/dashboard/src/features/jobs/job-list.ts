import type { JobStatusView } from '@jobline/contracts';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { useServices } from '../../services.js';
import { useMe } from '../../session/use-session.js';
import { useStream } from '../../streams/use-stream.js';
import { useDelayed, useLatest } from '../../ui/use-latest.js';
import { type Filters, hasHidden, isFinished, type Job, matches, queryOf, withoutHidden } from './model.js';

const PAGE_SIZE = 100;
const MAX_ROWS = 1_000;
const POLL_EVERY_MS = 5_000;
/** The page renders changes at most twice a second. */
const MIN_INTERVAL_MS = 500;

/**
 * Loads the filtered list and keeps it up to date: rows change in place, and new jobs are counted until the user shows
 * them. `onEvents` is called after every batch of events, so that other data can be refetched.
 */
export function useJobs(filters: Filters, onEvents: () => void) {
  const { api, queries } = useServices();
  // The key contains the organization, so that a late response after a switch does not reach the other list.
  const key = ['jobs', useMe().org.id, filters];
  /** For each running request, the events received since its start. They may be newer than its response. */
  const running = useRef(new Set<Map<string, Job>>());

  const fetchPage = async (limit: number, cursor?: string) => {
    const query = { ...queryOf(filters), detail: 'full' as const, limit, ...(cursor !== undefined && { cursor }) };
    const { data, nextCursor } = await api.jobs.list(query);
    return { rows: data, next: nextCursor };
  };
  const list = useQuery<JobList>({
    queryKey: key,
    queryFn: async () => {
      const received = new Map<string, Job>();
      running.current.add(received);
      try {
        const shown = queries.getQueryData<JobList>(key);
        // Loads as many rows as are shown and counted, so that older pages stay. Of many new jobs, only the newest are loaded.
        const fresh = shown?.fresh.size ?? 0;
        const count = fresh > PAGE_SIZE ? PAGE_SIZE : (shown?.rows.length ?? 0) + fresh;
        const page = await fetchPage(Math.min(MAX_ROWS, Math.max(PAGE_SIZE, count)));
        return applyChanges({ ...page, fresh: new Set() }, received, filters);
      } finally {
        running.current.delete(received);
      }
    },
    staleTime: Number.POSITIVE_INFINITY, // rows move only when the user asks for it
    refetchOnMount: 'always',
  });
  // A list that was shown before has missed the events since then.
  const { refetch } = list;
  const shownFor = JSON.stringify(filters);
  useEffect(() => {
    if (shownFor) void refetch({ cancelRefetch: false });
  }, [shownFor, refetch]);

  const update = (change: (list: JobList) => JobList) =>
    queries.setQueryData<JobList>(key, (now) => (now ? change(now) : undefined));
  const apply = (changes: Changes, known = filters) => {
    for (const received of running.current) for (const job of changes.values()) addChange(received, job);
    update((now) => applyChanges(now, changes, known));
    onEvents();
  };
  const compare = () =>
    fetchPage(PAGE_SIZE).then(
      // The API has applied the filters by values that a summary does not have.
      ({ rows }) => apply(new Map(rows.map((row) => [row.id, row])), withoutHidden(filters)),
      () => undefined, // LivePill shows the outage, and the next request follows soon
    );
  const compareSoon = useDelayed(() => void compare(), POLL_EVERY_MS);
  const add = useBatches((changes) => {
    apply(changes);
    // Events do not have the error and the duration.
    const hasEnded = (id: string) => isFinished(changes.get(id) ?? { status: 'pending' });
    if (hasHidden(filters) || list.data?.rows.some(({ id }) => hasEnded(id))) compareSoon();
  });
  const live = useStream({
    onEvent: ({ name, data }) => {
      if (name !== 'status') return;
      const job = JSON.parse(data) as Job & JobStatusView; // the API's documentation defines the data
      const isKnown = () => list.data?.rows.some(({ id, updated_at: at }) => id === job.id && at === job.updated_at);
      // The list does not show progress.
      if (job.progress === undefined || !isKnown()) add(job);
    },
    onGap: () => {
      void list.refetch();
      onEvents();
    },
    poll: () => void compare(),
    pollEveryMs: POLL_EVERY_MS,
  });
  // Finds changes between the first response and the start of the stream.
  const compareNow = useLatest(compare);
  useEffect(() => {
    if (live === 'live') void compareNow.current();
  }, [live, compareNow]);

  const older = useMutation({
    mutationFn: (cursor: string) => fetchPage(PAGE_SIZE, cursor),
    onSuccess: (page) => update((now) => withOlder(now, page)),
  });

  const insert = (job: Job) => {
    update((now) => withOwn(now, job));
    onEvents();
  };
  // While the list loads, the rows of the previous filter are shown. An empty previous list must not be shown as empty.
  const shown = list.isPlaceholderData && list.data.rows.length === 0 ? undefined : list.data;
  return { list, shown, live, older, add, insert };
}

/** Returns a function that collects changes and applies them in batches. The first change is applied immediately. */
function useBatches(apply: (changes: Changes) => void): (job: Job) => void {
  const waiting = useRef(new Map<string, Job>());
  const appliedAt = useRef(0);
  const applySoon = useDelayed(
    () => {
      const changes = waiting.current;
      waiting.current = new Map();
      appliedAt.current = Date.now();
      apply(changes);
    },
    () => Math.max(0, appliedAt.current + MIN_INTERVAL_MS - Date.now()),
  );
  return (job) => {
    addChange(waiting.current, job);
    applySoon();
  };
}

export type Jobs = ReturnType<typeof useJobs>;

/** The shown part of the list. Rows never move without user action. */
export interface JobList {
  rows: readonly Job[];
  /** The cursor of older jobs; null if there are none. */
  next: string | null;
  /** The ids of new jobs that a refetch would show. */
  fresh: ReadonlySet<string>;
}

type Changes = ReadonlyMap<string, Job>;

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
function addChange(changes: Map<string, Job>, job: Job): void {
  const known = changes.get(job.id);
  changes.set(job.id, known ? newer(known, job) : job);
}

/** Returns the newer state. Events and responses may arrive in any order, and events have fewer fields. */
function newer(row: Job, change: Job | undefined): Job {
  if (!change || Date.parse(change.updated_at) < Date.parse(row.updated_at)) return row;
  const isSame = change.status === row.status && change.updated_at === row.updated_at;
  return { ...(isSame ? row : row.about !== undefined && { about: row.about }), ...change };
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
