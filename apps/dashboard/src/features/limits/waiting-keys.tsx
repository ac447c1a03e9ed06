import { useQuery } from '@tanstack/react-query';
import { useApi } from '../../services.js';
import { Skeleton, Time } from '../../ui/index.js';

const SHOWN = 10;
const POLL_EVERY_MS = 5_000;

/** The keys of a limit whose jobs wait longest. */
export function WaitingKeys({ name }: { name: string }) {
  const api = useApi();
  const { data, error } = useQuery({
    queryKey: ['listLimits', name, 'keys'],
    queryFn: ({ signal }) => api.limits.keys(name, { signal }),
    refetchInterval: POLL_EVERY_MS,
  });
  return (
    <div className="max-w-xl">
      <h3 className="text-body font-medium">Keys that wait longest</h3>
      {error && !data ? (
        <p className="text-meta text-danger">{error.message}</p>
      ) : data === undefined ? (
        <Skeleton className="mt-2 h-5 w-64" />
      ) : data.length === 0 ? (
        <p className="text-meta text-muted">No key waits.</p>
      ) : (
        <ul className="mt-1 divide-y divide-line">
          {data.slice(0, SHOWN).map(({ key, waiting_since: since }) => (
            <li key={key ?? ''} className="flex items-baseline justify-between gap-4 py-1.5 text-body">
              <span className="min-w-0 truncate" title={key ?? undefined}>
                {key ?? <span className="text-muted">Jobs without a key</span>}
              </span>
              <Time value={since} className="shrink-0 text-muted" />
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
