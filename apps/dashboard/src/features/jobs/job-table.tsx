import { type Ref, useEffect, useRef, useState } from 'react';
import type { Submission } from '../../api/submit-job.js';
import { Button, DataTable, EmptyState, ErrorState, type TableHandle } from '../../ui/index.js';
import { jobColumns } from './columns.js';
import { absenceOf, countOf, type Filters, type Job } from './filters.js';
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

/** The list, or what stands in its place. */
export function JobTable({ jobs, filters, onClearFilters, selected, onSelect, actions, submit, ref }: JobTableProps) {
  const { error, failureReason, isFetching, refetch } = jobs.list;
  const { shown } = jobs;
  const latest = useRef(actions);
  useEffect(() => {
    latest.current = actions;
  });
  // The same ones always: with new ones every cell would be made anew, and an open menu would close.
  const [columns] = useState(() => jobColumns((verb, of) => latest.current.start(verb, of)));
  // Into an empty list jobs may come by themselves: there is nothing to move. Not after a failure, which would go on and on.
  const takesItself = shown?.rows.length === 0 && shown.fresh.size > 0 && !isFetching && !failureReason;
  useEffect(() => {
    if (takesItself) void refetch();
  }, [takesItself, refetch]);

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
      <EmptyState title={absenceOf(filters)} actions={<Button onClick={onClearFilters}>Clear filters</Button>} />
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
