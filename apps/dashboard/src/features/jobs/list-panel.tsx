import type { RefObject } from 'react';
import type { Submission } from '../../api/submit-job.js';
import { LoadOlder, NewItems, Panel, RestoreFocus, type TableHandle } from '../../ui/index.js';
import { FilterBar } from './filter-bar.js';
import { type FilterChange, type Filters, NO_FILTERS } from './filters.js';
import { JobTable } from './job-table.js';
import type { JobActions } from './use-job-actions.js';
import type { Jobs } from './use-jobs.js';

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
