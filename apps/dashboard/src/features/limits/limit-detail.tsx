import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { formatCount } from '../../format/index.js';
import { useApi } from '../../services.js';
import { useCan } from '../../session/use-session.js';
import { DeleteDialog } from '../../shell/confirm-dialog.js';
import { Button, cx, Fact, linkClasses, Skeleton, Time } from '../../ui/index.js';
import { boundsOf, holdReason, jobsOf } from './model.js';
import type { Limit } from './queries.js';

/** The details of a limit: which jobs it applies to, the keys that wait, and the actions. */
export function LimitDetail({ limit, onEdit }: { limit: Limit; onEdit: (limit: Limit) => void }) {
  const canChange = useCan()('limits');
  const [deleting, setDeleting] = useState(false);
  const bounds = boundsOf(limit);
  const reason = holdReason(limit);
  const waiting = useWaitingKeys(limit.name);
  const [first] = waiting.data ?? [];
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
        {limit.waiting > 0 && (
          <Fact name="Waiting">
            {formatCount(limit.waiting, 'job')}
            {first && (
              <>
                . The first became due <Time value={first.waiting_since} />
              </>
            )}
            {limit.types.length > 0 && <>. All pending jobs: </>}
            {limit.types.map((type) => (
              <JobsLink key={type} filter={{ type }} className="mr-3 underline">
                {type}
              </JobsLink>
            ))}
          </Fact>
        )}
      </dl>
      {limit.per === 'key' && <WaitingKeys of={waiting} />}
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
          done={`The limit ${limit.name} is deleted`}
          page="/limits"
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

function useWaitingKeys(name: string) {
  const api = useApi();
  return useQuery({
    queryKey: ['listLimits', name, 'keys'],
    queryFn: ({ signal }) => api.limits.keys(name, { signal }),
    refetchInterval: POLL_EVERY_MS,
  });
}

/** The keys of a limit whose jobs wait longest. */
function WaitingKeys({ of: { data, error } }: { of: ReturnType<typeof useWaitingKeys> }) {
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
              {key === null ? (
                <span className="text-muted">Jobs without a key</span>
              ) : (
                <JobsLink filter={{ key }} className="min-w-0 truncate">
                  {key}
                </JobsLink>
              )}
              <Time value={since} className="shrink-0 text-muted" />
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

interface JobsLinkProps {
  filter: { type: string } | { key: string };
  className: string;
  children: string;
}

/** A link to the pending jobs of a type or of a key. */
function JobsLink({ filter, className, children }: JobsLinkProps) {
  return (
    <Link to="/" search={{ status: 'pending', ...filter }} title={children} className={cx(linkClasses, className)}>
      {children}
    </Link>
  );
}
