import type { BulkFilter } from '@jobline/client';
import type { BulkActionKind } from '@jobline/contracts';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { useIdempotencyKey } from '../../../drafts/use-idempotency-key.js';
import { useApi } from '../../../services.js';
import { toast } from '../../../ui/index.js';
import type { BulkAction } from './bulk-words.js';

const POLL_EVERY_MS = 1_000;

export interface BulkRequest {
  action: BulkActionKind;
  filter: BulkFilter;
}

/** Counts the jobs that match now. */
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
  const api = useApi();
  const queries = useQueryClient();
  const keys = useIdempotencyKey('bulk');
  const [openedAt] = useState(Date.now);
  return async (request) => {
    const bulk = await api.jobs.bulk(request, { idempotencyKey: keys.of({ ...request, openedAt }) });
    keys.forget();
    queries.setQueryData(keyOf(bulk.id), bulk);
    return bulk;
  };
}

/** An action with its progress while it runs. At its end, what it has changed is loaded again. */
export function useBulk(id: string) {
  const api = useApi();
  const queries = useQueryClient();
  const bulk = useQuery({
    queryKey: keyOf(id),
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
      void queries.invalidateQueries({ queryKey: ['job-stats'] });
      void queries.invalidateQueries({ queryKey: ['failures'] });
      // No event reports a deleted job. The rows of other jobs change in place.
      if (action === 'delete') void queries.invalidateQueries({ queryKey: ['jobs'] });
    }
  }, [id, status, action, queries]);
  const stop = useMutation({
    mutationFn: () => api.jobs.bulks.stop(id),
    onSuccess: (stopped) => queries.setQueryData(keyOf(id), stopped),
    onError: ({ message }) => {
      toast.error(message);
      void bulk.refetch();
    },
  });
  return { bulk, stop };
}

function keyOf(id: string): readonly string[] {
  return ['bulk', id];
}
