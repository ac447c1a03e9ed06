import { STATS_WINDOWS } from '@jobline/contracts';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import { type RefObject, useMemo, useRef, useState } from 'react';
import type { Submission } from '../../api/submit-job.js';
import { Page } from '../../shell/page.js';
import {
  Button,
  focusHeading,
  LivePill,
  LoadOlder,
  NewItems,
  Panel,
  RestoreFocus,
  SegmentedControl,
  StaleNote,
  type TableHandle,
  Tabs,
} from '../../ui/index.js';
import { BulkProgress } from './bulk-progress.js';
import { Failures } from './failures.js';
import { FilterBar } from './filter-bar.js';
import { useJobKeys } from './job-keys.js';
import { type Jobs, useJobs } from './job-list.js';
import { JobTable } from './job-table.js';
import { type JobActions, useJobActions } from './list-actions.js';
import { countOf, type FilterChange, type Filters, filtersOf, type JobsSearch, NO_FILTERS } from './model.js';
import { NewJobSheet } from './new-job-sheet.js';
import { Overview } from './overview.js';
import { useJobStats, useSubmitJob } from './queries.js';
import { SelectionActions } from './selection-actions.js';

const route = getRouteApi('/app/');
const WINDOWS = STATS_WINDOWS.map((value) => ({ value, label: value }));
const NONE: ReadonlySet<string> = new Set();

/** Undefined removes a parameter. */
type Change = { [K in keyof JobsSearch]?: JobsSearch[K] | undefined };

export function JobsPage() {
  const search = route.useSearch();
  const navigate = useNavigate();
  const { window = '24h', view = 'jobs' } = search;
  const { status, type, error_code, created_after, created_before, tag, key, schedule } = search;
  const filters = useMemo(
    () => filtersOf({ status, type, error_code, created_after, created_before, tag, key, schedule }),
    [status, type, error_code, created_after, created_before, tag, key, schedule],
  );
  const { stats, touch } = useJobStats(window);
  const jobs = useJobs(filters, touch);
  const { list, shown } = jobs;

  const [chosen, setChosen] = useState(NONE);
  const selected = useMemo(
    () => (view === 'jobs' ? (shown?.rows ?? []).filter(({ id }) => chosen.has(id)) : []),
    [view, shown, chosen],
  );
  const selectedIds = useMemo(() => new Set(selected.map(({ id }) => id)), [selected]);
  const actions = useJobActions(jobs.add, ({ taken, changed }) => {
    const handled = new Set([...taken, ...changed]);
    setChosen((now) => new Set([...now].filter((id) => !handled.has(id))));
  });
  const submit = useSubmitJob(filters, jobs.insert);

  const go = (change: Change) =>
    void navigate({ to: '/', search: (now) => ({ ...now, ...change }), resetScroll: false });
  const filter = (change: FilterChange) => {
    setChosen(NONE);
    go(change);
  };
  const onStart = (bulk: string) => go({ bulk });
  const showNew = () => void list.refetch();

  const table = useRef<TableHandle>(null);
  const filterBar = useRef<HTMLDivElement>(null);
  useJobKeys({
    table,
    filterBar,
    rows: shown?.rows ?? [],
    selected,
    onSelect: setChosen,
    selectedIds,
    actions,
    onNew: () => go({ new: 1 }),
    onShowNew: showNew,
  });

  const isFirstRun = shown?.rows.length === 0 && countOf(filters) === 0;
  return (
    <Page
      title="Jobs"
      aside={
        <>
          {jobs.live !== 'ended' && <LivePill state={jobs.live} />}
          {shown && list.failureReason && (
            <StaleNote asOf={list.dataUpdatedAt} onRetry={list.isFetching ? undefined : showNew} />
          )}
          {stats.isRefetchError && <StaleNote what="Statistics" asOf={stats.dataUpdatedAt} />}
        </>
      }
      actions={
        <>
          <SegmentedControl
            label="Time range of the statistics"
            options={WINDOWS}
            value={window}
            onChange={(value) => go({ window: value === '24h' ? undefined : value })}
          />
          <Button
            variant={isFirstRun ? 'secondary' : 'primary'}
            icon={<Plus aria-hidden="true" />}
            onClick={() => go({ new: 1 })}
          >
            New job
          </Button>
        </>
      }
    >
      <RestoreFocus to={focusHeading}>
        {search.bulk !== undefined && <BulkProgress id={search.bulk} onDismiss={() => go({ bulk: undefined })} />}
      </RestoreFocus>
      <Overview stats={stats} window={window} current={view === 'jobs' ? status : undefined} />
      <Tabs
        label="Views of the jobs"
        manual
        value={view}
        onChange={(next) => go({ view: next === 'failures' ? next : undefined })}
        tabs={[
          {
            value: 'jobs',
            label: 'List',
            content: (
              <ListPanel
                jobs={jobs}
                filters={filters}
                isFirstRun={isFirstRun}
                types={Object.keys(stats.data?.by_type ?? {})}
                onFilter={filter}
                onStart={onStart}
                selected={selectedIds}
                onSelect={setChosen}
                actions={actions}
                submit={submit}
                table={table}
                filterBar={filterBar}
              />
            ),
          },
          { value: 'failures', label: 'Failures', content: <Failures window={window} onStart={onStart} /> },
        ]}
      />
      <RestoreFocus to={() => table.current?.focus('last')}>
        <SelectionActions selected={selected} onClear={() => setChosen(NONE)} actions={actions} />
      </RestoreFocus>
      <NewJobSheet open={search.new === 1} onClose={() => go({ new: undefined })} submit={submit} />
    </Page>
  );
}

export interface ListPanelProps {
  jobs: Jobs;
  filters: Filters;
  /** Whether the organization has no jobs. The filters are then hidden. */
  isFirstRun: boolean;
  /** The job types that the organization has used recently. */
  types: readonly string[];
  onFilter: (change: FilterChange) => void;
  /** Called with the id of a bulk action that has started. */
  onStart: (bulk: string) => void;
  selected: ReadonlySet<string>;
  onSelect: (selected: ReadonlySet<string>) => void;
  actions: JobActions;
  submit: (body: Submission) => Promise<void>;
  table: RefObject<TableHandle | null>;
  filterBar: RefObject<HTMLDivElement | null>;
}

/** The list of jobs with its filters. Without jobs and filters, only the button for a first job. */
export function ListPanel(props: ListPanelProps) {
  const { jobs, filters, isFirstRun, types, onFilter, onStart, selected, onSelect, actions, submit, table, filterBar } =
    props;
  const { list, shown } = jobs;
  return (
    <Panel padding="none">
      <RestoreFocus to={() => table.current?.focus('first')}>
        {!isFirstRun && (
          <>
            <FilterBar ref={filterBar} filters={filters} types={types} onChange={onFilter} onStart={onStart} />
            <NewItems
              count={shown?.fresh.size ?? 0}
              hasRows={shown !== undefined && shown.rows.length > 0}
              what="job"
              onShow={() => void list.refetch()}
            />
          </>
        )}
        <JobTable
          ref={table}
          jobs={jobs}
          filters={filters}
          onClearFilters={() => onFilter(NO_FILTERS)}
          selected={selected}
          onSelect={onSelect}
          actions={actions}
          submit={submit}
        />
      </RestoreFocus>
      {shown && shown.rows.length > 0 && (
        <LoadOlder
          hasMore={shown.next !== null}
          onLoad={() => shown.next !== null && jobs.older.mutate(shown.next)}
          loading={jobs.older.isPending || list.isPlaceholderData}
          failure={jobs.older.variables === shown.next ? jobs.older.error?.message : undefined}
          shown={shown.rows.length}
          what="job"
        />
      )}
    </Panel>
  );
}
