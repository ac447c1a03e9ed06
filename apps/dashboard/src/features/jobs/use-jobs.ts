import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { takePage } from '../../api/api-client.js';
import { useApi } from '../../services.js';
import { useMe } from '../../session/use-session.js';
import { useStream } from '../../streams/use-stream.js';
import type { Filters, Job } from './filters.js';
import { applyChanges, type Changes, type JobList, noteChange, withOlder, withOwn } from './job-list.js';
import { useBatches } from './use-batches.js';

const PAGE = 100;
const MOST = 1_000;
const POLL_MS = 5_000;

/**
 * The list under the filters, live: rows change in place, and unknown ones are counted until the reader takes them.
 * `onEvents` hears of every batch, for what else is to be asked again.
 */
export function useJobs(filters: Filters, onEvents: () => void) {
  const api = useApi();
  const queries = useQueryClient();
  // With the organization: an answer that comes after a switch is not put into the other one's list.
  const key = ['jobs', useMe().org.id, filters];
  /** For each fetch that runs, what was told meanwhile: it may be newer than the answer. */
  const running = useRef(new Set<Map<string, Job>>());

  const fetchPage = async (limit: number, cursor?: string) => {
    const query = { ...filters, limit, ...(cursor !== undefined && { cursor }) };
    const { items, next } = await takePage(api.GET('/jobs', { params: { query } }));
    return { rows: items, next };
  };
  const list = useQuery<JobList>({
    queryKey: key,
    queryFn: async () => {
      const told = new Map<string, Job>();
      running.current.add(told);
      try {
        const shown = queries.getQueryData<JobList>(key);
        // As many as are shown and waiting: what was loaded of the past stays.
        const wanted = (shown?.rows.length ?? 0) + (shown?.fresh.size ?? 0);
        const page = await fetchPage(Math.min(MOST, Math.max(PAGE, wanted)));
        return applyChanges({ ...page, fresh: new Set() }, told, filters);
      } finally {
        running.current.delete(told);
      }
    },
    staleTime: Number.POSITIVE_INFINITY, // rows move when the reader says so
    refetchOnMount: 'always',
  });

  const update = (change: (list: JobList) => JobList) =>
    queries.setQueryData<JobList>(key, (now) => (now ? change(now) : undefined));
  const apply = (changes: Changes) => {
    for (const told of running.current) for (const job of changes.values()) noteChange(told, job);
    update((now) => applyChanges(now, changes, filters));
    onEvents();
  };
  const add = useBatches(apply);
  const compare = async () => {
    const { rows } = await fetchPage(PAGE);
    apply(new Map(rows.map((row) => [row.id, row])));
  };
  const live = useStream('/jobs/events', {
    onEvent: ({ name, data }) => {
      if (name === 'status') add(JSON.parse(data) as Job); // the API's own document says so
    },
    onGap: () => {
      void list.refetch();
      onEvents();
    },
    poll: () => void compare().catch(ignoreOutage),
    pollEveryMs: POLL_MS,
  });
  // What happened between the first answer and the stream's beginning.
  const compareNow = useRef(compare);
  useEffect(() => {
    compareNow.current = compare;
  });
  useEffect(() => {
    if (live === 'live') compareNow.current().catch(ignoreOutage);
  }, [live]);

  const older = useMutation({
    mutationFn: (cursor: string) => fetchPage(PAGE, cursor),
    onSuccess: (page) => update((now) => withOlder(now, page)),
  });

  const insert = (job: Job) => {
    update((now) => withOwn(now, job));
    onEvents();
  };
  // Rows of other filters may stand in for those that are awaited; that there were none says nothing of these.
  const shown = list.isPlaceholderData && list.data.rows.length === 0 ? undefined : list.data;
  return { list, shown, live, older, add, insert };
}

/** The pill tells that nothing comes through, and the next try is near. */
function ignoreOutage(): void {
  return;
}

export type Jobs = ReturnType<typeof useJobs>;
