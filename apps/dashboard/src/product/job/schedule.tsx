import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { formatRelative } from '../../format/index.js';
import { useApi } from '../../services.js';
import { cx, linkClasses, Skeleton, useNow } from '../../ui/index.js';
import { StatusText } from '../status.js';

/** Loads a schedule, which may have been deleted. */
export function useSchedule(id: string) {
  const api = useApi();
  return useQuery({
    queryKey: ['listSchedules', id],
    queryFn: ({ signal }) => api.schedules.get(id, { signal }),
    retry: false,
  });
}

const SHOWN = 5;
const POLL_EVERY_MS = 5_000;

/** The latest jobs of a schedule with their statuses, newest first. Another `version` loads them again. */
export function LastRuns({ schedule, version }: { schedule: string; version: string | null }) {
  const api = useApi();
  const { data } = useQuery({
    queryKey: ['schedule-runs', schedule, version],
    queryFn: async ({ signal }) => (await api.jobs.list({ schedule, limit: SHOWN }, { signal })).data,
    refetchInterval: ({ state: { data = [] } }) =>
      data.some(({ status }) => status === 'pending' || status === 'processing') && POLL_EVERY_MS,
  });
  if (!data) return <Skeleton className="w-64" />;
  if (data.length === 0) return 'None';
  return (
    <ul aria-label="Last runs" className="flex flex-wrap gap-x-5 gap-y-1">
      {data.map(({ id, status, created_at: at }) => (
        <li key={id}>
          <RunLink id={id} status={status} at={at} className="hit" />
        </li>
      ))}
    </ul>
  );
}

/** A run of a schedule with its status and its age, as a link to the job. */
export function RunLink({ id, status, at, className }: { id: string; status: string; at: string; className?: string }) {
  const age = formatRelative(at, useNow());
  return (
    <Link
      to="/job/$id"
      params={{ id }}
      title={id}
      className={cx(linkClasses, 'inline-flex items-center gap-1.5', className)}
    >
      <StatusText kind="job" status={status} />
      <span className="text-meta tabular-nums">{age}</span>
    </Link>
  );
}
