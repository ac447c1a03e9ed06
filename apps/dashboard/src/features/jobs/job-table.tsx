import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Play, Workflow } from 'lucide-react';
import { type RefObject, useEffect, useMemo, useState } from 'react';
import type { Submission } from '../../api/submit-job.js';
import { useShortcut } from '../../keyboard/use-shortcut.js';
import { curlOf } from '../../product/curl.js';
import { SAMPLE_TYPE, SAMPLES } from '../../product/job/payload.js';
import { useCan } from '../../session/use-session.js';
import { LoadError } from '../../shell/load-error.js';
import {
  Button,
  CodeBlock,
  type Column,
  DataTable,
  EmptyState,
  inTextClasses,
  type TableHandle,
  toast,
} from '../../ui/index.js';
import { useLatest } from '../../ui/use-latest.js';
import { jobsWords } from './bulk-words.js';
import { jobColumns, shownColumns } from './columns.js';
import type { Jobs } from './job-list.js';
import type { ListActions } from './list-actions.js';
import { type ColumnName, countOf, type Filters, type Job } from './model.js';
import type { SubmitJob } from './queries.js';

interface JobTableProps {
  jobs: Jobs;
  filters: Filters;
  onClearFilters: () => void;
  selected: ReadonlySet<string>;
  onSelect: (selected: ReadonlySet<string>) => void;
  actions: ListActions;
  chosen: readonly ColumnName[];
  submit: SubmitJob;
  ref: RefObject<TableHandle | null>;
}

export function JobTable(props: JobTableProps) {
  const { jobs, filters, onClearFilters, selected, onSelect, actions, chosen, submit, ref } = props;
  const { error, failureReason, isFetching, refetch } = jobs.list;
  const { shown } = jobs;
  useRowKeys(props);
  const latest = useLatest(actions);
  // Only the user changes the columns. New columns would render every cell again and close an open menu.
  const [all] = useState(() => jobColumns((verb, of) => latest.current.start(verb, of)));
  const columns = useMemo(() => shownColumns(all, chosen), [all, chosen]);
  // New jobs are added to an empty list automatically, because no row can move. After a failure this would repeat
  // forever.
  const shouldRefetch = shown?.rows.length === 0 && shown.fresh.size > 0 && !isFetching && !failureReason;
  useEffect(() => {
    if (shouldRefetch) void refetch();
  }, [shouldRefetch, refetch]);

  const rows = shown?.rows;
  const empty =
    rows?.length !== 0 ? undefined : countOf(filters) === 0 ? (
      <FirstRun submit={submit} />
    ) : (
      <EmptyState
        title={`No ${jobsWords(filters)}`}
        actions={<Button onClick={onClearFilters}>Clear filters</Button>}
      />
    );
  const refetching = isFetching && rows !== undefined;
  // While hundreds of new jobs a second are counted, their number is rendered, and not the rows.
  const table = useMemo(
    () => (
      <DataTable<Job>
        ref={ref}
        caption="Jobs, newest first"
        columns={columns}
        rows={rows}
        refetching={refetching}
        selection={{ selected, onChange: onSelect, label: ({ type, id }) => `Select ${type} ${id}` }}
        empty={empty}
        card={(job) => <JobCard job={job} columns={columns} />}
      />
    ),
    [ref, columns, rows, refetching, selected, onSelect, empty],
  );
  if (error && !shown) return <LoadError of={jobs.list} what="The jobs" className="min-h-80" />;
  return table;
}

/** The keyboard shortcuts for rows. Enter opens a job without a shortcut, because the link of the row has the focus. */
function useRowKeys({ jobs, selected, onSelect, actions, ref }: JobTableProps): void {
  const rows = jobs.shown?.rows ?? [];
  const focused = () => rows.filter(({ id }) => id === ref.current?.focusedId());
  const group = 'Jobs';
  useShortcut({ keys: 'j', label: 'Next job', group, run: () => ref.current?.move(1) });
  useShortcut({ keys: 'k', label: 'Previous job', group, run: () => ref.current?.move(-1) });
  const select = () => {
    const [job] = focused();
    const next = new Set(selected);
    if (!job) return;
    if (!next.delete(job.id)) next.add(job.id);
    onSelect(next);
  };
  useShortcut({ keys: 'x', label: 'Select or deselect the job', group, run: select });
  const retry = () => actions.start('retry', selected.size > 0 ? rows.filter(({ id }) => selected.has(id)) : focused());
  useShortcut({ keys: 'r', label: 'Retry the selected jobs or the focused job', group, run: retry });
}

/** A job on a phone, in three lines: status and times; type, id and retries; whom it is about and why it failed. */
function JobCard({ job, columns }: { job: Job; columns: readonly Column<Job>[] }) {
  const cell = (header: string) => columns.find((column) => column.header === header)?.cell(job);
  return (
    <>
      <div className="flex min-h-7 items-center justify-between gap-3">
        {cell('Status')}
        <span className="flex shrink-0 items-center gap-2 text-meta text-muted">
          {job.status !== 'pending' && cell('Duration')}
          {cell('Created')}
          {cell('Updated')}
          {cell('Actions')}
        </span>
      </div>
      <div className="mt-1 flex items-baseline gap-3">
        <span className="max-w-[45%] shrink-0 truncate">{cell('Type')}</span>
        <span className="min-w-0 flex-1 truncate">{cell('Job')}</span>
        <span className="shrink-0 text-meta text-muted">{cell('Retries')}</span>
      </div>
      {cell('Details')}
    </>
  );
}

const SAMPLE: Submission = { type: SAMPLE_TYPE, payload: { ...SAMPLES[SAMPLE_TYPE] }, max_retries: 3 };

/** Shown before the first job: a button that runs a sample job, and a curl command that submits it. */
function FirstRun({ submit }: { submit: SubmitJob }) {
  const can = useCan();
  const run = useMutation({
    mutationFn: () => submit(SAMPLE),
    onError: ({ message }) => toast.error('The sample job was not submitted', { detail: message }),
  });
  return (
    <EmptyState
      icon={<Workflow />}
      title="No jobs yet"
      className="py-8!"
      actions={
        <div className="flex w-full min-w-0 flex-col items-center gap-4">
          <Button variant="primary" busy={run.isPending} onClick={() => run.mutate()} icon={<Play />}>
            Run a sample job
          </Button>
          <div className="flex w-full max-w-xl min-w-0 flex-col gap-2">
            <p className="text-meta text-muted">
              Or use the API:{' '}
              {can('api_keys') ? (
                <>
                  <Link to="/keys" className={inTextClasses}>
                    create an API key
                  </Link>
                  , store it in <code className="font-mono">JOBLINE_KEY</code>, and run
                </>
              ) : (
                <>ask an owner or admin for an API key, store it in JOBLINE_KEY, and run</>
              )}
            </p>
            <CodeBlock code={curlOf(location.origin, SAMPLE)} label="curl" />
          </div>
        </div>
      }
    >
      The sample job summarizes a text. It sends nothing, and you can watch it run here.
    </EmptyState>
  );
}
