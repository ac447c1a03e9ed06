import { useInfiniteQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { type Schemas, takePage } from '../../api/api-client.js';
import { ApiError } from '../../api/api-error.js';
import { useApi } from '../../services.js';
import { Button, type Column, DataTable, EmptyState, ErrorState, LoadOlder, StaleNote, Time } from '../../ui/index.js';
import { folderOf } from './folders.js';
import { ConfirmLift } from './lift-suppression.js';

type Suppression = Schemas['Suppression'];

const PAGE_SIZE = 100;
const REASONS = { bounce: 'Bounced', complaint: 'Complained' } as const;

/** The addresses to which no emails are sent. Owners and admins can remove a suppression. */
export function SuppressedList() {
  const api = useApi();
  const first: string | null = null;
  const list = useInfiniteQuery({
    queryKey: ['suppressions'],
    queryFn: ({ pageParam: cursor, signal }) => {
      const query = { limit: PAGE_SIZE, ...(cursor !== null && { cursor }) };
      return takePage(api.GET('/org/suppressions', { params: { query }, signal }));
    },
    initialPageParam: first as string | null, // otherwise its type would be only null
    getNextPageParam: ({ next }) => next,
  });
  const [asked, setAsked] = useState<Suppression | null>(null);
  const rows = list.data?.pages.flatMap(({ items }) => items);
  const columns = useMemo(() => columnsOf(setAsked), []);
  const { icon: Icon, empty } = folderOf('suppressed');
  if (list.error && !rows) {
    return (
      <ErrorState
        message={`The suppressed addresses could not be loaded. ${list.error.message}`}
        requestId={list.error instanceof ApiError ? list.error.requestId : null}
        retrying={list.isFetching}
        onRetry={() => void list.refetch()}
      />
    );
  }
  return (
    <>
      {list.error && <StaleNote asOf={list.dataUpdatedAt} />}
      <DataTable
        caption="Suppressed addresses"
        columns={columns}
        rows={rows}
        rowId={({ id }) => id}
        empty={
          <EmptyState icon={<Icon />} title={empty.title}>
            {empty.text}
          </EmptyState>
        }
      />
      {rows && rows.length > 0 && (
        <LoadOlder
          what="address"
          many="addresses"
          shown={rows.length}
          hasMore={list.hasNextPage}
          loading={list.isFetchingNextPage}
          onLoad={() => void list.fetchNextPage()}
        />
      )}
      {asked && <ConfirmLift address={asked.address} id={asked.id} onClose={() => setAsked(null)} />}
    </>
  );
}

function columnsOf(ask: (suppression: Suppression) => void): readonly Column<Suppression>[] {
  return [
    {
      id: 'address',
      header: 'Address',
      card: 'title',
      cell: ({ address }) => (
        <span title={address} className="block truncate font-medium">
          {address}
        </span>
      ),
    },
    { id: 'reason', header: 'Reason', width: '128px', cell: ({ reason }) => REASONS[reason] },
    { id: 'since', header: 'Since', width: '128px', cell: ({ created_at }) => <Time value={created_at} /> },
    {
      id: 'remove',
      header: 'Remove',
      hideHeader: true,
      width: '112px',
      align: 'end',
      card: 'end',
      cell: (suppression) => (
        <Button size="small" onClick={() => ask(suppression)} aria-label={`Remove ${suppression.address}`}>
          Remove
        </Button>
      ),
    },
  ];
}
