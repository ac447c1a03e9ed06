import type { BulkActionKind } from '@jobline/contracts';
import { useMutation } from '@tanstack/react-query';
import { ListChecks } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { retryRisk } from '../../product/job/failure-advice.js';
import { Button, Dialog, Menu } from '../../ui/index.js';
import { actionsFor, BULK_WORDS, countSentence, jobsWords, startLabel } from './bulk-words.js';
import { type Filters, queryOf } from './model.js';
import { type BulkRequest, useMatches, useStartBulk } from './queries.js';

interface BulkDialogProps {
  action: BulkRequest['action'];
  filters: Filters;
  /** What else the user must know before the start. */
  note?: ReactNode;
  onStart: (id: string) => void;
  onClose: () => void;
}

/** Counts the jobs that match, and starts the action after a confirmation. Open while mounted. */
export function BulkDialog({ action, filters, note, onStart, onClose }: BulkDialogProps) {
  const request: BulkRequest = { action, filter: queryOf(filters) };
  const matches = useMatches(request);
  const send = useStartBulk();
  const start = useMutation({
    mutationFn: () => send(request),
    onSuccess: ({ id }) => {
      onStart(id);
      onClose();
    },
  });
  const { ask, effect, skips } = BULK_WORDS[action];
  const count = matches.data;
  const error = start.error ?? (matches.isFetching ? null : matches.error);
  // Jobs whose effect is unknown match unless the filter names another error code.
  const isRisky = action === 'retry' && retryRisk(filters.type ?? '', filters.error_code ?? 'unknown_effect') !== null;
  return (
    <Dialog
      alert
      open
      onOpenChange={(open) => !open && !start.isPending && onClose()}
      title={`${ask('all jobs that match')}?`}
      description={`${effect} ${skips}`}
      footer={
        <>
          <Button onClick={() => !start.isPending && onClose()}>Keep as is</Button>
          {matches.error && !matches.isFetching ? (
            <Button variant="primary" onClick={() => void matches.refetch()}>
              Count again
            </Button>
          ) : (
            <Button
              variant={action === 'cancel' || action === 'delete' ? 'danger' : 'primary'}
              busy={count === undefined || start.isPending}
              disabledReason={count?.matches === 0 ? 'No jobs match.' : undefined}
              onClick={() => start.mutate()}
            >
              {startLabel(action, count)}
            </Button>
          )}
        </>
      }
    >
      <div className="flex flex-col gap-2 text-body wrap-anywhere">
        <p role="status" className="font-medium tabular-nums">
          {count ? countSentence(count) : error === null && 'Counting the jobs that match…'}
        </p>
        <p>Filter: {jobsWords(filters)}</p>
        {note}
        {isRisky && (
          <p>
            The provider calls of jobs with the error code <code className="font-mono text-mono">unknown_effect</code>{' '}
            may have succeeded. A retry does these calls twice.
          </p>
        )}
        {error && (
          <p role="alert" className="text-danger">
            {error.message}
          </p>
        )}
      </div>
    </Dialog>
  );
}

interface ChangeAllProps {
  filters: Filters;
  onStart: (bulk: string) => void;
}

/** A menu with the actions on all jobs that match the filters, loaded or not. */
export function ChangeAll({ filters, onStart }: ChangeAllProps) {
  const [action, setAction] = useState<BulkActionKind | null>(null);
  return (
    <>
      <Menu
        align="start"
        trigger={<Button icon={<ListChecks aria-hidden="true" />}>Change all that match</Button>}
        groups={[
          actionsFor(filters).map((one) => ({ label: `${BULK_WORDS[one].name}…`, onSelect: () => setAction(one) })),
        ]}
      />
      {action && <BulkDialog action={action} filters={filters} onStart={onStart} onClose={() => setAction(null)} />}
    </>
  );
}
