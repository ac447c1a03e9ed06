import type { FailureGroup } from '@jobline/client';
import type { BulkActionKind, StatsWindow } from '@jobline/contracts';
import { Link } from '@tanstack/react-router';
import { CircleCheck, RotateCw } from 'lucide-react';
import { useState } from 'react';
import { formatClock, formatExact, truncateMiddle } from '../../format/index.js';
import { Sparkline } from '../../product/charts/bars.js';
import { failureOf } from '../../product/job/failure-advice.js';
import { LoadError } from '../../shell/load-error.js';
import {
  Button,
  buttonClasses,
  cx,
  EmptyState,
  focusHeading,
  linkClasses,
  Panel,
  RestoreFocus,
  Skeleton,
  StaleNote,
  Time,
} from '../../ui/index.js';
import { BulkDialog } from './bulk-dialog.js';
import { BULK_WORDS, jobsWords } from './bulk-words.js';
import { type Filters, NO_FILTERS, WINDOW_WORDS } from './model.js';
import { useFailures } from './queries.js';

const MAX_GROUPS = 100;

/** Why jobs failed in a time range: groups of failed jobs, the largest first. */
export function Failures({ window, onStart }: { window: StatsWindow; onStart: (bulk: string) => void }) {
  const failures = useFailures(window);
  const { data, error, isFetching, refetch, dataUpdatedAt } = failures;
  const [asked, setAsked] = useState<FailureGroup | null>(null);
  if (error && !data) {
    return (
      <Panel>
        <LoadError of={failures} what="The failures" />
      </Panel>
    );
  }
  const within = WINDOW_WORDS[data?.window ?? window];
  return (
    <Panel
      title={`Failures in ${within}`}
      description={
        data && `As of ${formatClock(dataUpdatedAt)}. Failed jobs in groups by type, error code and message.`
      }
      actions={
        <Button size="small" icon={<RotateCw />} busy={isFetching} onClick={() => void refetch()}>
          Refresh
        </Button>
      }
      padding="none"
    >
      {error && (
        <div className="border-b border-line px-4 py-2">
          <StaleNote asOf={dataUpdatedAt} onRetry={() => void refetch()} />
        </div>
      )}
      {!data && (
        <div className="flex flex-col gap-4 p-4">
          <span role="status" className="sr-only">
            Loading the failures
          </span>
          <Skeleton className="h-4! w-1/3" />
          <Skeleton className="h-4! w-2/3" />
          <Skeleton className="h-4! w-1/2" />
        </div>
      )}
      {data?.groups.length === 0 && (
        <EmptyState icon={<CircleCheck />} title={`No failures in ${within}`}>
          Jobs that fail are shown here in groups, with their number and their reason.
        </EmptyState>
      )}
      {data && data.groups.length > 0 && (
        <RestoreFocus to={focusHeading}>
          <ul aria-label="Groups of failures, the largest first" className="divide-y divide-line">
            {data.groups.map((group) => (
              <FailureItem
                key={`${group.type} ${group.error_code} ${group.message}`}
                group={group}
                onAsk={() => setAsked(group)}
              />
            ))}
          </ul>
        </RestoreFocus>
      )}
      {data?.groups.length === MAX_GROUPS && (
        <p className="border-t border-line px-4 py-3 text-meta text-muted">
          Only the {MAX_GROUPS} largest groups are shown.
        </p>
      )}
      {asked && (
        <BulkDialog
          action={actionOn(asked)}
          filter={filtersOfGroup(asked)}
          words={jobsWords(filtersOfGroup(asked))}
          group={asked}
          onStart={onStart}
          onClose={() => setAsked(null)}
        />
      )}
    </Panel>
  );
}

/** A group of failures: how many, why, when, examples, and what the user can do. `onAsk` asks about an action on its jobs. */
function FailureItem({ group, onAsk }: { group: FailureGroup; onAsk: () => void }) {
  const { type, error_code: code, message, count, first_at, last_at, series, example_ids } = group;
  const { meaning, nextStep } = failureOf(type, code);
  return (
    <li className="flex flex-wrap items-start gap-x-6 gap-y-3 p-4">
      <div className="flex w-24 shrink-0 flex-col gap-1">
        <span className="text-section font-semibold tabular-nums">{formatExact(count)}</span>
        <span className="sr-only">{count === 1 ? 'job' : 'jobs'}</span>
        <Sparkline series={series} className="h-6 w-full text-failed" />
      </div>
      <div className="flex min-w-0 flex-1 basis-72 flex-col gap-1 text-body wrap-anywhere">
        <p className="font-mono text-mono">
          <span className="font-semibold">{type}</span> <span className="text-failed">{code}</span>
        </p>
        {message !== '' && <p className="line-clamp-4 font-mono text-mono">{message}</p>}
        <p className="text-muted">
          {sentence(meaning)} {nextStep}
        </p>
        <dl className="flex flex-wrap gap-x-4 gap-y-1 text-meta text-muted tabular-nums">
          <div className="flex gap-1">
            <dt>First</dt>
            <dd>
              <Time value={first_at} className="hit" />
            </dd>
          </div>
          <div className="flex gap-1">
            <dt>Last</dt>
            <dd>
              <Time value={last_at} className="hit" />
            </dd>
          </div>
          <div className="flex min-w-0 gap-1">
            <dt className="shrink-0">Examples</dt>
            <dd className="flex min-w-0 flex-wrap gap-x-2">
              {example_ids.map((id) => (
                <Link key={id} to="/job/$id" params={{ id }} title={id} className={cx(linkClasses, 'hit font-mono')}>
                  {truncateMiddle(id)}
                </Link>
              ))}
            </dd>
          </div>
        </dl>
      </div>
      {/* On phones, within reach of the thumb while the group is on the screen. */}
      <div className="flex flex-wrap gap-2 max-sm:sticky max-sm:bottom-0 max-sm:-mb-4 max-sm:basis-full max-sm:bg-surface max-sm:py-3">
        <Link
          to="/"
          search={(now) => ({ ...now, ...NO_FILTERS, view: undefined, ...filtersOfGroup(group) })}
          className={cx(buttonClasses('secondary', 'small'), FOOT_BUTTON)}
        >
          Show jobs
          <span className="sr-only">
            : {type}, {code}
          </span>
        </Link>
        <Button size="small" className={FOOT_BUTTON} onClick={onAsk}>
          {BULK_WORDS[actionOn(group)].ask('all')}…
          <span className="sr-only">
            : {type}, {code}
          </span>
        </Button>
      </div>
    </li>
  );
}

const FOOT_BUTTON = 'max-sm:h-control max-sm:flex-1';

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

/** The filters of a list with the jobs of a group. It cannot filter by message, so it can have more jobs. */
function filtersOfGroup({ type, error_code }: FailureGroup) {
  return { status: 'failed', type, error_code } as const satisfies Filters;
}

/** The action that repairs a group. Expired jobs cannot be retried. */
function actionOn({ error_code }: FailureGroup): BulkActionKind {
  return error_code === 'expired' ? 'rerun' : 'retry';
}
