import type { StatsWindow } from '@jobline/contracts';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { useApi } from '../../services.js';

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

  const latest = useRef(stats);
  useEffect(() => {
    latest.current = stats;
  });
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const ask = () => {
    timer.current = undefined;
    // The running request may have been counted before the change, so it is followed by another one.
    if (latest.current.isFetching) touch();
    else void latest.current.refetch();
  };
  const touch = () => {
    if (timer.current !== undefined) return;
    const { dataUpdatedAt, errorUpdatedAt, isFetching } = latest.current;
    const asked = isFetching ? Date.now() : Math.max(dataUpdatedAt, errorUpdatedAt);
    timer.current = setTimeout(ask, Math.max(0, asked + MIN_REFETCH_INTERVAL_MS - Date.now()));
  };
  return { stats, touch };
}
