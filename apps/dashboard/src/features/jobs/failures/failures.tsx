import type { StatsWindow } from '@jobline/contracts';
import { CircleCheck, RotateCw } from 'lucide-react';
import { useState } from 'react';
import { formatClock } from '../../../format/index.js';
import { LoadError } from '../../../shell/load-error.js';
import { Button, EmptyState, focusHeading, Panel, RestoreFocus, Skeleton, StaleNote } from '../../../ui/index.js';
import { BulkDialog } from '../bulk/bulk-dialog.js';
import { WINDOW_WORDS } from '../window-words.js';
import { FailureItem } from './failure-item.js';
import { actionOn, type FailureGroup, filtersOfGroup, useFailures } from './use-failures.js';

const MAX_GROUPS = 100;

export interface FailuresProps {
  window: StatsWindow;
  /** Called with the id of a bulk action that has started. */
  onStart: (bulk: string) => void;
}

/** Why jobs failed in a time range: groups of failed jobs, the largest first. */
export function Failures({ window, onStart }: FailuresProps) {
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
        <Button size="small" icon={<RotateCw aria-hidden="true" />} busy={isFetching} onClick={() => void refetch()}>
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
      {!data && <Loading />}
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
          filters={filtersOfGroup(asked)}
          note={
            <p>
              An action cannot select jobs by their message. This one also changes jobs of this type and error code that
              failed with another message, or more than {within} ago.
            </p>
          }
          onStart={onStart}
          onClose={() => setAsked(null)}
        />
      )}
    </Panel>
  );
}

function Loading() {
  return (
    <div className="flex flex-col gap-4 p-4">
      <span role="status" className="sr-only">
        Loading the failures
      </span>
      <Skeleton className="h-4! w-1/3" />
      <Skeleton className="h-4! w-2/3" />
      <Skeleton className="h-4! w-1/2" />
    </div>
  );
}
