import { type Ref, useEffect, useRef, useState } from 'react';
import type { Submission } from '../../api/submit-job.js';
import { Button, DataTable, EmptyState, ErrorState, type TableHandle } from '../../ui/index.js';
import { jobColumns } from './columns.js';
import { countOf, emptyTitle, type Filters, type Job } from './filters.js';
import { FirstRun } from './first-run.js';
import { JobCard } from './job-card.js';
import { loadError } from './load-error.js';
import type { JobActions } from './use-job-actions.js';
import type { Jobs } from './use-jobs.js';

export interface JobTableProps {
  jobs: Jobs;
  filters: Filters;
  onClearFilters: () => void;
  selected: ReadonlySet<string>;
  onSelect: (selected: ReadonlySet<string>) => void;
  actions: JobActions;
  submit: (body: Submission) => Promise<void>;
  ref: Ref<TableHandle>;
}

/** The list of jobs, or its error or empty state. */
export function JobTable({ jobs, filters, onClearFilters, selected, onSelect, actions, submit, ref }: JobTableProps) {
  const { error, failureReason, isFetching, refetch } = jobs.list;
  const { shown } = jobs;
  const latest = useRef(actions);
  useEffect(() => {
    latest.current = actions;
  });
  // The columns never change. New columns would render every cell again and close an open menu.
  const [columns] = useState(() => jobColumns((verb, of) => latest.current.start(verb, of)));
  // New jobs are added to an empty list automatically, because no row can move. After a failure this would repeat
  // forever.
  const shouldRefetch = shown?.rows.length === 0 && shown.fresh.size > 0 && !isFetching && !failureReason;
  useEffect(() => {
    if (shouldRefetch) void refetch();
  }, [shouldRefetch, refetch]);

  if (error && !shown) {
    return (
      <ErrorState
        {...loadError(error, 'The jobs')}
        onRetry={() => void refetch()}
        retrying={isFetching}
        className="min-h-80"
      />
    );
  }
  const empty =
    countOf(filters) === 0 ? (
      <FirstRun submit={submit} />
    ) : (
      <EmptyState title={emptyTitle(filters)} actions={<Button onClick={onClearFilters}>Clear filters</Button>} />
    );
  return (
    <DataTable<Job>
      ref={ref}
      caption="Jobs, newest first"
      columns={columns}
      rows={shown?.rows}
      rowId={idOf}
      refetching={isFetching && shown !== undefined}
      selection={{ selected, onChange: onSelect, label: ({ type, id }) => `Select ${type} ${id}` }}
      empty={empty}
      card={(job) => <JobCard job={job} columns={columns} />}
    />
  );
}

function idOf({ id }: Job): string {
  return id;
}
