import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useApi } from '../../services.js';
import { useCan } from '../../session/use-session.js';
import { DeleteDialog } from '../../shell/confirm-dialog.js';
import { Button, Fact, Skeleton, Time, toast } from '../../ui/index.js';
import { boundsOf, holdReason, jobsOf } from './model.js';
import type { Limit } from './queries.js';

/** The details of a limit: which jobs it applies to, the keys that wait, and the actions. */
export function LimitDetail({ limit, onEdit }: { limit: Limit; onEdit: (limit: Limit) => void }) {
  const canChange = useCan()('limits');
  const navigate = useNavigate();
  const [deleting, setDeleting] = useState(false);
  const bounds = boundsOf(limit);
  const reason = holdReason(limit);
  return (
    <section aria-label={limit.name} className="flex flex-col gap-4 border-t border-line p-4 sm:pl-10">
      <dl className="grid max-w-3xl gap-x-6 gap-y-3 text-body leading-6 sm:grid-cols-[6rem_1fr] [&>dt]:text-meta [&>dt]:leading-6">
        <Fact name="Applies to">{jobsOf(limit)}</Fact>
        <Fact name="Allows">{bounds.length > 0 ? bounds.join(' · ') : 'everything'}</Fact>
        {reason && limit.held_since && (
          <Fact name="Held">
            <Time value={limit.held_since} />: {reason}
          </Fact>
        )}
      </dl>
      {limit.per === 'key' && <WaitingKeys name={limit.name} />}
      {canChange ? (
        <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
          <Button onClick={() => onEdit(limit)}>Edit limit</Button>
          <Button variant="ghost" onClick={() => setDeleting(true)}>
            Delete limit
          </Button>
        </div>
      ) : (
        <p className="text-meta text-muted">Owners and admins can change this limit.</p>
      )}
      {deleting && (
        <DeleteDialog
          from="listLimits"
          remove={(api) => api.limits.delete(limit.name)}
          title={`Delete the limit ${limit.name}?`}
          verb="Delete"
          onDeleted={() => {
            toast.success(`The limit ${limit.name} is deleted`);
            void navigate({ to: '/limits', search: {}, replace: true });
          }}
          onClose={() => setDeleting(false)}
        >
          Its waiting jobs ({limit.waiting.toLocaleString()}) start without it. Jobs that name it keep the name, and
          count under a new limit of that name.
        </DeleteDialog>
      )}
    </section>
  );
}

const SHOWN_KEYS = 10;
const POLL_EVERY_MS = 5_000;

/** The keys of a limit whose jobs wait longest. */
function WaitingKeys({ name }: { name: string }) {
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
          {data.slice(0, SHOWN_KEYS).map(({ key, waiting_since: since }) => (
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
