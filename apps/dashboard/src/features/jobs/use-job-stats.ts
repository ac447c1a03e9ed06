import type { StatsWindow } from '@jobline/contracts';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { take } from '../../api/api-client.js';
import { useApi } from '../../services.js';

const AT_MOST_EVERY_MS = 5_000;
/** Where counting takes long the server gives out what it has counted before; and the window moves on by itself. */
const AT_LEAST_EVERY_MS = 10_000;

/** The figures, and `touch` to be called when something has happened: they are asked for again every 5 s at most. */
export function useJobStats(window: StatsWindow) {
  const api = useApi();
  const stats = useQuery({
    queryKey: ['job-stats', window],
    // With its window: earlier figures stand in for those of another one, and are named for what they are.
    queryFn: async () => ({ window, ...(await take(api.GET('/stats/jobs', { params: { query: { window } } }))) }),
    refetchInterval: AT_LEAST_EVERY_MS,
  });

  const latest = useRef(stats);
  useEffect(() => {
    latest.current = stats;
  });
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const ask = () => {
    timer.current = undefined;
    // What is on its way may have been counted before: once it is here, it is asked again.
    if (latest.current.isFetching) touch();
    else void latest.current.refetch();
  };
  const touch = () => {
    if (timer.current !== undefined) return;
    const { dataUpdatedAt, errorUpdatedAt, isFetching } = latest.current;
    const asked = isFetching ? Date.now() : Math.max(dataUpdatedAt, errorUpdatedAt);
    timer.current = setTimeout(ask, Math.max(0, asked + AT_MOST_EVERY_MS - Date.now()));
  };
  return { stats, touch };
}
