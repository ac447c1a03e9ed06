import { STATS_WINDOWS } from '@jobline/contracts';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { lazy, Suspense, useEffect, useMemo, useRef, useState } from 'react';
import { PrimaryAction } from '../../keyboard/primary-action.js';
import { useShortcut } from '../../keyboard/use-shortcut.js';
import type { Change } from '../../search-params.js';
import { rememberJobs } from '../../shell/back-link.js';
import { LoadError } from '../../shell/load-error.js';
import { Page } from '../../shell/page-frame.js';
import {
  focusHeading,
  LivePill,
  LoadOlder,
  NARROW,
  NewItems,
  Panel,
  RestoreFocus,
  SegmentedControl,
  StaleNote,
  type TableHandle,
  Tabs,
  useMedia,
} from '../../ui/index.js';
import { useLatest } from '../../ui/use-latest.js';
import { BulkList } from './bulk-list.js';
import { BulkProgress } from './bulk-progress.js';
import { ListMenu, useChosenColumns } from './columns.js';
import { Failures } from './failures.js';
import { FilterBar } from './filter-bar.js';
import { useJobs } from './job-list.js';
import { JobTable } from './job-table.js';
import { SelectionActions, useListActions } from './list-actions.js';
import { countOf, filtersOf, type Job, type JobsSearch, NO_FILTERS, WINDOW_WORDS } from './model.js';
import { Charts, Counts } from './overview.js';
import { useJobStats, useSubmitJob } from './queries.js';

const route = getRouteApi('/app/');
const WINDOWS = STATS_WINDOWS.map((value) => ({ value, label: value }));
const NONE: ReadonlySet<string> = new Set();
const NO_ROWS: readonly Job[] = [];

// Loaded when it is opened first: the page itself does not need its forms.
const NewJobSheet = lazy(async () => ({ default: (await import('./new-job-sheet.js')).NewJobSheet }));

export function JobsPage() {
  const search = route.useSearch();
  const navigate = useNavigate();
  const { window = '24h', view = 'jobs' } = search;
  useEffect(() => {
    const { new: _new, bulk: _bulk, ...shown } = search;
    rememberJobs(shown);
  }, [search]);
  const filters = filtersOf(search);
  const { stats, touch } = useJobStats(window);
  const jobs = useJobs(filters, touch);
  const { list, shown, older } = jobs;
  const within = WINDOW_WORDS[stats.data?.window ?? window];

  const rows = shown?.rows ?? NO_ROWS;
  const [chosen, setChosen] = useState(NONE);
  const selected = useMemo(
    () => (view === 'jobs' ? rows.filter(({ id }) => chosen.has(id)) : []),
    [view, rows, chosen],
  );
  const selectedIds = useMemo(() => new Set(selected.map(({ id }) => id)), [selected]);
  const actions = useListActions(jobs.add, ({ taken, changed }) => {
    const handled = new Set([...taken, ...changed].map(({ id }) => id));
    setChosen((now) => new Set([...now].filter((id) => !handled.has(id))));
  });
  const submit = useSubmitJob(filters, jobs.insert);
  const isNew = search.new === 1;
  const [hasOpened, setHasOpened] = useState(isNew);
  if (isNew && !hasOpened) setHasOpened(true);

  const go = (change: Change<JobsSearch>) =>
    void navigate({ to: '/', search: (now) => ({ ...now, ...change }), resetScroll: false });
  const filter = (change: Change<JobsSearch>) => {
    setChosen(NONE);
    go(change);
  };
  const onStart = (bulk: string) => go({ bulk });
  const showNew = () => void list.refetch();

  const [columns, setColumns] = useChosenColumns();
  const narrow = useMedia(NARROW);
  const lists = useRef<HTMLDivElement>(null);
  // On phones, the list is off the screen when a number or a bar filters it.
  const toList = () => narrow && lists.current?.scrollIntoView();

  const table = useRef<TableHandle>(null);
  useShortcut({ keys: '.', label: 'Show the new jobs', group: 'Jobs', run: showNew });

  // Without jobs and filters, only the button for a first job is shown.
  const isFirstRun = shown?.rows.length === 0 && countOf(filters) === 0;
  const jobList = (
    <Panel padding="none">
      <RestoreFocus to={() => table.current?.focus('first')}>
        {!isFirstRun && (
          <>
            <FilterBar
              filters={filters}
              types={Object.keys(stats.data?.by_type ?? {})}
              onChange={filter}
              onStart={onStart}
            >
              <ListMenu chosen={columns} onChoose={setColumns} rows={rows} />
            </FilterBar>
            <NewItems count={shown?.fresh.size ?? 0} hasRows={rows.length > 0} what="job" onShow={showNew} />
          </>
        )}
        <JobTable
          ref={table}
          jobs={jobs}
          filters={filters}
          onClearFilters={() => filter(NO_FILTERS)}
          selected={selectedIds}
          onSelect={setChosen}
          actions={actions}
          chosen={columns}
          submit={submit}
        />
      </RestoreFocus>
      {shown && shown.rows.length > 0 && (
        <LoadOlder
          hasMore={shown.next !== null}
          onLoad={() => shown.next !== null && older.mutate(shown.next)}
          loading={older.isPending || list.isPlaceholderData}
          failure={older.variables === shown.next ? older.error?.message : undefined}
          shown={shown.rows.length}
          what="job"
        />
      )}
    </Panel>
  );
  const pick = useLatest((created_after: string, created_before: string) => {
    filter({ created_after, created_before, view: undefined });
    toList();
  });
  const { data, error } = stats;
  // The chart is slow to render, and is rendered only when its numbers change.
  const charts = useMemo(
    () => <Charts data={data} within={within} onPick={(from, to) => pick.current(from, to)} />,
    [data, within, pick],
  );
  const overview = error && !data ? <LoadError of={stats} what="The statistics" className="min-h-36 py-2!" /> : charts;
  return (
    <Page
      isWide
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
          <PrimaryAction
            label="New job"
            group="Jobs"
            variant={isFirstRun ? 'secondary' : 'primary'}
            run={() => go({ new: 1 })}
          />
        </>
      }
    >
      <RestoreFocus to={focusHeading}>
        {search.bulk !== undefined && <BulkProgress id={search.bulk} onDismiss={() => go({ bulk: undefined })} />}
      </RestoreFocus>
      <div className="flex flex-col gap-4">
        <Counts stats={stats} within={within} current={view === 'jobs' ? search.status : undefined} onPick={toList} />
        {!narrow && <Panel>{overview}</Panel>}
        <div ref={lists} className="mt-2 scroll-mt-16">
          <Tabs
            label="Views of the jobs"
            manual
            value={view}
            onChange={(next) => go({ view: next === 'jobs' ? undefined : next })}
            tabs={[
              { value: 'jobs', label: 'List', content: jobList },
              { value: 'failures', label: 'Failures', content: <Failures window={window} onStart={onStart} /> },
              { value: 'bulk', label: 'Bulk actions', content: <BulkList /> },
            ]}
          />
        </div>
        {narrow && <Panel>{overview}</Panel>}
      </div>
      <RestoreFocus to={() => table.current?.focus('last')}>
        <SelectionActions selected={selected} onClear={() => setChosen(NONE)} actions={actions} onStart={onStart} />
      </RestoreFocus>
      <Suspense>
        {hasOpened && <NewJobSheet open={isNew} onClose={() => go({ new: undefined })} submit={submit} />}
      </Suspense>
    </Page>
  );
}
