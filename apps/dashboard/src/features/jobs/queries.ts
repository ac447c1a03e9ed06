import type { BodyOf, BulkFilter } from '@jobline/client';
import type { StatsWindow } from '@jobline/contracts';
import { type QueryClient, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { type Submission, submitJob } from '../../api/submit-job.js';
import { useAction } from '../../api/use-change.js';
import { useIdempotencyKey } from '../../drafts/use-idempotency-key.js';
import { useApi, useServices } from '../../services.js';
import { toast } from '../../ui/index.js';
import { useDelayed } from '../../ui/use-latest.js';
import type { BulkAction } from './bulk-words.js';
import { type Filters, type Job, matches } from './model.js';

const MIN_REFETCH_INTERVAL_MS = 5_000;
/** Regular refetching is needed because the server may return cached counts and the time range moves. */
const POLL_INTERVAL_MS = 10_000;

/** Loads the statistics. Call `touch` after a change; it refetches them at most every 5 s. */
export function useJobStats(window: StatsWindow) {
  const api = useApi();
  const stats = useQuery({
    queryKey: ['job-stats', window],
    // The result contains its time range, because the statistics of another range are shown while the new ones load.
    queryFn: async () => ({ window, ...(await api.jobs.stats({ window })) }),
    refetchInterval: POLL_INTERVAL_MS,
  });

  const touch: () => void = useDelayed(
    // The running request may have been counted before the change, so it is followed by another one.
    () => (stats.isFetching ? touch() : void stats.refetch()),
    () => {
      const asked = stats.isFetching ? Date.now() : Math.max(stats.dataUpdatedAt, stats.errorUpdatedAt);
      return Math.max(0, asked + MIN_REFETCH_INTERVAL_MS - Date.now());
    },
  );
  return { stats, touch };
}

export type SubmitJob = (body: Submission) => Promise<void>;

/** Submits a job, adds it on top of the list, and shows a link to it. Repeating a failed submission creates one job. */
export function useSubmitJob(filters: Filters, insert: (job: Job) => void): SubmitJob {
  const api = useApi();
  const keys = useIdempotencyKey('job');
  const navigate = useNavigate();

  return async (submission) => {
    const { id } = await submitJob(api, keys.of(submission), submission);
    const job: Job = await api.jobs.get(id);
    keys.forget();
    const isShown = matches(filters, job);
    if (isShown) insert(job);
    toast.success(`${job.type} is submitted`, {
      detail: isShown ? undefined : 'The current filters hide this job.',
      action: { label: 'Open', onAction: () => void navigate({ to: '/job/$id', params: { id } }) },
    });
  };
}

/** Loads the groups. There is no polling, because rows must not move while the user reads them. */
export function useFailures(window: StatsWindow) {
  const api = useApi();
  return useQuery({
    queryKey: ['failures', window],
    // The result contains its time range, because the groups of another range are shown while the new ones load.
    queryFn: async ({ signal }) => ({ window, groups: await api.jobs.failures({ window }, { signal }) }),
    refetchOnWindowFocus: false,
  });
}

const POLL_EVERY_MS = 1_000;

export type BulkRequest = Pick<BodyOf<'startBulk'>, 'action' | 'per_second'> & { filter: BulkFilter };

export function useMatches(request: BulkRequest) {
  const api = useApi();
  return useQuery({
    queryKey: ['bulk-matches', request],
    queryFn: ({ signal }) => api.jobs.bulk({ ...request, dry_run: true }, { signal }),
    placeholderData: () => undefined, // the count of another filter
    staleTime: 0,
    gcTime: 0,
    refetchOnWindowFocus: false, // the count that the user reads stays
  });
}

/** Starts an action. Repeating a failed start starts one action, as long as the dialog stays open: later, other jobs may match. */
export function useStartBulk(): (request: BulkRequest) => Promise<BulkAction> {
  const { api, queries } = useServices();
  const keys = useIdempotencyKey('bulk');
  const [openedAt] = useState(Date.now);
  return async (request) => {
    const bulk = await api.jobs.bulk(request, { idempotencyKey: keys.of({ ...request, openedAt }) });
    keys.forget();
    queries.setQueryData(['bulk', bulk.id], bulk);
    if (bulk.status !== 'running') refetchChanged(queries, bulk.action); // the repetition of a start whose response was lost
    return bulk;
  };
}

/** An action with its progress while it runs. At its end, what it has changed is loaded again. */
export function useBulk(id: string) {
  const { api, queries } = useServices();
  const bulk = useQuery({
    queryKey: ['bulk', id],
    queryFn: ({ signal }) => api.jobs.bulks.get(id, { signal }),
    refetchInterval: ({ state }) => state.data?.status === 'running' && POLL_EVERY_MS,
    placeholderData: () => undefined, // the progress of another action
  });
  const { status, action } = bulk.data ?? {};
  const running = useRef<string>(undefined);
  useEffect(() => {
    if (status === 'running') running.current = id;
    else if (status !== undefined && running.current === id) {
      running.current = undefined;
      refetchChanged(queries, action);
    }
  }, [id, status, action, queries]);
  const stop = useAction(() => api.jobs.bulks.stop(id).finally(() => bulk.refetch()));
  return { bulk, stop };
}

function refetchChanged(queries: QueryClient, action: BulkAction['action'] | undefined): void {
  void queries.invalidateQueries({ queryKey: ['job-stats'] });
  void queries.invalidateQueries({ queryKey: ['failures'] });
  // No event reports a deleted job. The rows of other jobs change in place.
  if (action === 'delete') void queries.invalidateQueries({ queryKey: ['jobs'] });
}
