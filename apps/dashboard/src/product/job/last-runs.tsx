import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { formatRelative } from '../../format/index.js';
import { useApi } from '../../services.js';
import { cx, linkClasses, Skeleton, useNow } from '../../ui/index.js';
import { StatusText } from '../status.js';

const SHOWN = 5;
const POLL_EVERY_MS = 5_000;

/** The latest jobs of a schedule with their statuses, newest first. Another `version` loads them again. */
export function LastRuns({ schedule, version }: { schedule: string; version: string | null }) {
  const api = useApi();
  const now = useNow();
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
      {data.map(({ id, status, created_at }) => (
        <li key={id}>
          <Link
            to="/job/$id"
            params={{ id }}
            title={id}
            className={cx(linkClasses, 'hit inline-flex items-center gap-1.5')}
          >
            <StatusText kind="job" status={status} />
            <span className="text-meta tabular-nums">{formatRelative(created_at, now)}</span>
          </Link>
        </li>
      ))}
    </ul>
  );
}
