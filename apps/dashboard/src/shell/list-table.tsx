import { ApiError } from '../api/api-error.js';
import type { List } from '../api/use-list.js';
import { DataTable, type DataTableProps, ErrorState, LoadOlder, StaleNote } from '../ui/index.js';

export interface ListTableProps<Row> extends Omit<DataTableProps<Row>, 'rows' | 'refetching'> {
  list: List<Row>;
  /** The name of a row in the singular: "key". */
  what: string;
  /** The plural, if it is not formed with an s. */
  many?: string | undefined;
}

/** Shows a list of the API in every state: loading, failed, outdated, empty, and with more pages. */
export function ListTable<Row>({ list, what, many, ...table }: ListTableProps<Row>) {
  const { rows, error } = list;
  if (!rows && error) return <ListFailed list={list} error={error} />;
  return (
    <>
      {rows && error && (
        <div className="px-4 py-2">
          <StaleNote asOf={list.asOf} onRetry={list.retry} />
        </div>
      )}
      <DataTable {...table} rows={rows} refetching={list.refetching} />
      {rows && list.hasMore && (
        <LoadOlder
          hasMore
          shown={rows.length}
          onLoad={list.loadOlder}
          loading={list.loadingOlder}
          what={what}
          many={many}
        />
      )}
    </>
  );
}

function ListFailed<Row>({ list, error }: { list: List<Row>; error: Error }) {
  const requestId = error instanceof ApiError ? error.requestId : null;
  return <ErrorState message={error.message} requestId={requestId} onRetry={list.retry} retrying={list.retrying} />;
}
