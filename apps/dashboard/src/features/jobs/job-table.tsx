import { type Ref, useEffect, useRef, useState } from 'react';
import type { Submission } from '../../api/submit-job.js';
import { LoadError } from '../../shell/load-error.js';
import { Button, type Column, DataTable, EmptyState, type TableHandle } from '../../ui/index.js';
import { jobColumns } from './columns.js';
import { countOf, type Filters, type Job, jobsWords } from './filters.js';
import { FirstRun } from './first-run.js';
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

  if (error && !shown) return <LoadError of={jobs.list} what="The jobs" className="min-h-80" />;
  const empty =
    countOf(filters) === 0 ? (
      <FirstRun submit={submit} />
    ) : (
      <EmptyState
        title={`No ${jobsWords(filters)}`}
        actions={<Button onClick={onClearFilters}>Clear filters</Button>}
      />
    );
  return (
    <DataTable<Job>
      ref={ref}
      caption="Jobs, newest first"
      columns={columns}
      rows={shown?.rows}
      refetching={isFetching && shown !== undefined}
      selection={{ selected, onChange: onSelect, label: ({ type, id }) => `Select ${type} ${id}` }}
      empty={empty}
      card={(job) => <JobCard job={job} columns={columns} />}
    />
  );
}

/** A job on a phone, in two lines: status and creation time; type, id and retries. */
function JobCard({ job, columns }: { job: Job; columns: readonly Column<Job>[] }) {
  const cell = (header: string) => columns.find((column) => column.header === header)?.cell(job);
  return (
    <>
      <div className="flex min-h-7 items-center justify-between gap-3">
        {cell('Status')}
        <span className="flex shrink-0 items-center gap-2 text-meta text-muted">
          {cell('Created')}
          {cell('Actions')}
        </span>
      </div>
      <div className="mt-1 flex items-baseline gap-3">
        <span className="max-w-[45%] shrink-0 truncate">{cell('Type')}</span>
        <span className="min-w-0 flex-1 truncate">{cell('Job')}</span>
        <span className="shrink-0 text-meta text-muted">{cell('Retries')}</span>
      </div>
    </>
  );
}
