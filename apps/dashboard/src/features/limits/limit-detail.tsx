import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useCan } from '../../session/use-session.js';
import { ConfirmDialog } from '../../shell/confirm-dialog.js';
import { Button, toast } from '../../ui/index.js';
import { boundsOf, jobsOf } from './limit-words.js';
import { type Limit, useDeleteLimit } from './use-limits.js';
import { WaitingKeys } from './waiting-keys.js';

export interface LimitDetailProps {
  limit: Limit;
  onEdit: (limit: Limit) => void;
}

/** The details of a limit: which jobs it applies to, the keys that wait, and the actions. */
export function LimitDetail({ limit, onEdit }: LimitDetailProps) {
  const canChange = useCan()('limits');
  const navigate = useNavigate();
  const remove = useDeleteLimit();
  const [deleting, setDeleting] = useState(false);
  const bounds = boundsOf(limit);
  return (
    <section aria-label={limit.name} className="flex flex-col gap-4 border-t border-line p-4 sm:pl-10">
      <dl className="grid max-w-3xl gap-x-6 gap-y-3 sm:grid-cols-[6rem_1fr]">
        <dt className="text-meta leading-6 text-muted">Applies to</dt>
        <dd className="min-w-0 text-body leading-6 wrap-anywhere">{jobsOf(limit)}</dd>
        <dt className="text-meta leading-6 text-muted">Allows</dt>
        <dd className="text-body leading-6">{bounds.length > 0 ? bounds.join(' · ') : 'everything'}</dd>
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
        <ConfirmDialog
          title={`Delete the limit ${limit.name}?`}
          verb="Delete"
          run={() => remove(limit.name)}
          onDone={() => {
            toast.success(`The limit ${limit.name} is deleted`);
            void navigate({ to: '/limits', search: {}, replace: true });
          }}
          onClose={() => setDeleting(false)}
        >
          Its waiting jobs ({limit.waiting.toLocaleString()}) start without it. Jobs that name it keep the name, and
          count under a new limit of that name.
        </ConfirmDialog>
      )}
    </section>
  );
}
