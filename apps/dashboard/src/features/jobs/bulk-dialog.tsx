import type { FailureGroup } from '@jobline/client';
import type { BulkActionKind } from '@jobline/contracts';
import { useMutation } from '@tanstack/react-query';
import { ListChecks } from 'lucide-react';
import { useState } from 'react';
import { retryRisk } from '../../product/job/failure-advice.js';
import { Button, Dialog, Field, Menu, type Option, RadioGroup, Select } from '../../ui/index.js';
import { actionsFor, BULK_WORDS, countSentence, jobsWords, startLabel } from './bulk-words.js';
import { type Filters, queryOf } from './model.js';
import { type BulkRequest, useMatches, useStartBulk } from './queries.js';

interface BulkDialogProps {
  action: BulkRequest['action'];
  /** Selects the jobs. */
  filter: BulkRequest['filter'];
  /** The same in words. */
  words: string;
  /** The group of failures that is repaired: only its jobs, unless the user chooses otherwise. */
  group?: FailureGroup;
  onStart: (id: string) => void;
  onClose: () => void;
}

/** Counts the jobs that match, and starts the action after a confirmation. Open while mounted. */
export function BulkDialog({ action, filter: all, words, group, onStart, onClose }: BulkDialogProps) {
  const [which, setWhich] = useState<Which>('group');
  const [pace, setPace] = useState<Pace>('fast');
  const filter = { ...all, ...(group && selectIn(group, which)) };
  const request: BulkRequest = { action, filter, ...(pace !== 'fast' && { per_second: Number(pace) }) };
  const matches = useMatches(request);
  const send = useStartBulk();
  const start = useMutation({
    mutationFn: () => send(request),
    onSuccess: ({ id }) => {
      onStart(id);
      onClose();
    },
  });
  const close = () => !start.isPending && onClose();
  const { ask, effect, skips } = BULK_WORDS[action];
  const count = matches.data;
  const error = start.error ?? (matches.isFetching ? null : matches.error);
  // Jobs whose effect is unknown match unless the filter names another error code.
  const isRisky = action === 'retry' && retryRisk(all.type ?? '', all.error_code ?? 'unknown_effect') !== null;
  return (
    <Dialog
      alert
      onClose={close}
      title={`${ask('all jobs that match')}?`}
      description={`${effect} ${skips}`}
      footer={
        <>
          <Button onClick={close}>Keep as is</Button>
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
        <p>Filter: {words}</p>
        {group && (
          <RadioGroup
            label="Which jobs"
            value={which}
            onChange={setWhich}
            options={[
              {
                value: 'group',
                label: 'The jobs of this group',
                hint: 'Those with its message that failed in its time',
              },
              { value: 'trial', label: 'Only its latest jobs, as a trial', hint: 'At most three' },
              { value: 'older', label: 'Also older ones with this message' },
            ]}
          />
        )}
        {(action === 'retry' || action === 'rerun') && (
          <Field label="Pace">
            <Select options={PACES} value={pace} onChange={setPace} />
          </Field>
        )}
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

type Which = 'group' | 'trial' | 'older';

/** The filter fields that select jobs of a group of failures. */
function selectIn({ message, first_at, last_at, example_ids }: FailureGroup, which: Which): BulkRequest['filter'] {
  if (which === 'trial') return { ids: example_ids };
  const ended_before = new Date(Date.parse(last_at) + 1).toISOString();
  return { message, ended_before, ...(which === 'group' && { ended_after: first_at }) };
}

type Pace = 'fast' | '100' | '20' | '5' | '1';
const PACES: readonly Option<Pace>[] = [
  { value: 'fast', label: 'As fast as possible' },
  { value: '100', label: '100 jobs per second' },
  { value: '20', label: '20 jobs per second' },
  { value: '5', label: '5 jobs per second' },
  { value: '1', label: '1 job per second' },
];

/** A menu with the actions on all jobs that match the filters, loaded or not. */
export function ChangeAll({ filters, onStart }: { filters: Filters; onStart: (bulk: string) => void }) {
  const [action, setAction] = useState<BulkActionKind | null>(null);
  return (
    <>
      <Menu
        align="start"
        trigger={
          <Button icon={<ListChecks />} aria-label="Change all that match">
            Change all
          </Button>
        }
        groups={[
          actionsFor(filters).map((one) => ({ label: `${BULK_WORDS[one].name}…`, onSelect: () => setAction(one) })),
        ]}
      />
      {action && (
        <BulkDialog
          action={action}
          filter={queryOf(filters)}
          words={jobsWords(filters)}
          onStart={onStart}
          onClose={() => setAction(null)}
        />
      )}
    </>
  );
}
