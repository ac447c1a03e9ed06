import { Link } from '@tanstack/react-router';
import { MessageSquare } from 'lucide-react';
import type { Ref } from 'react';
import { ApiError } from '../../api/api-error.js';
import type { usePendingRows } from '../../api/use-pending-rows.js';
import { formatCount } from '../../format/index.js';
import { MessageStatusBadge } from '../../product/message/message-status.js';
import { meaningOf } from '../../product/status.js';
import {
  Button,
  type Column,
  DataTable,
  EmptyState,
  ErrorState,
  LoadOlder,
  NewItems,
  Panel,
  rowLinkClasses,
  Select,
  StaleNote,
  type TableHandle,
  Time,
  useMedia,
} from '../../ui/index.js';
import { PAGE_SIZE, type TextStatus as Status, type Text, type useTexts } from './use-texts.js';

export const STATUSES = ['queued', 'sent', 'delivered', 'failed'] as const satisfies Status[];

const FILTER = [
  { value: 'all', label: 'All statuses' } as const,
  ...STATUSES.map((value) => ({ value, label: meaningOf('message', value).word })),
];

const COLUMNS: readonly Column<Text>[] = [
  {
    id: 'status',
    header: 'Status',
    width: '184px',
    cell: (text) => <MessageStatusBadge message={text} channel="sms" />,
  },
  {
    id: 'to',
    header: 'To',
    width: '148px',
    cell: ({ id, to }) => <TextLink id={id} to={to} />,
  },
  {
    id: 'message',
    header: 'Message',
    cell: ({ message }) => (
      <span title={message} className="block truncate text-muted">
        {message}
      </span>
    ),
  },
  { id: 'segments', header: 'Segments', width: '92px', align: 'end', cell: ({ segments }) => segments },
  {
    id: 'when',
    header: 'When',
    width: '108px',
    align: 'end',
    cell: ({ created_at }) => <Time value={created_at} className="text-muted" />,
  },
];

/** The widths at which the form is next to the list and leaves too little space for the column of messages. */
const TIGHT = '(80rem <= width < 90rem)';

export interface HistoryProps {
  texts: ReturnType<typeof useTexts>;
  pending: ReturnType<typeof usePendingRows<Text>>;
  status: Status | undefined;
  onStatus: (status: Status | undefined) => void;
  currentId: string | undefined;
  onCompose: () => void;
  ref: Ref<TableHandle>;
}

/** The SMS that were sent from this page, by jobs or by the API. */
export function History({ texts, pending, status, onStatus, currentId, onCompose, ref }: HistoryProps) {
  const { error, isPlaceholderData: isOtherFilter } = texts;
  const isTight = useMedia(TIGHT);
  const rows = pending.shown;
  const filter = (
    <Select
      size="small"
      label="Status"
      options={FILTER}
      value={status ?? 'all'}
      onChange={(value) => onStatus(value === 'all' ? undefined : value)}
      className="min-w-32"
    />
  );
  return (
    <Panel title="History" actions={<span data-filter>{filter}</span>} padding="none">
      {rows?.length !== 0 && (
        <NewItems
          count={pending.hidden.length}
          hasRows={rows !== undefined}
          what="SMS"
          many="SMS"
          onShow={pending.show}
        />
      )}
      {error && rows && !isOtherFilter && (
        <div className="border-b border-line px-4 py-2">
          <StaleNote asOf={texts.dataUpdatedAt} />
        </div>
      )}
      {error && (!rows || isOtherFilter) ? (
        <ErrorState
          message={`The SMS could not be loaded. ${error.message}`}
          requestId={error instanceof ApiError ? error.requestId : null}
          retrying={texts.isFetching}
          onRetry={() => void texts.refetch()}
        />
      ) : (
        <DataTable
          ref={ref}
          caption="SMS"
          layout={isTight ? 'cards' : 'auto'}
          columns={COLUMNS}
          rows={rows}
          rowId={({ id }) => id}
          currentId={currentId}
          card={card}
          refetching={isOtherFilter && texts.isFetching}
          empty={<Nothing status={status} onClear={() => onStatus(undefined)} onCompose={onCompose} />}
        />
      )}
      {rows && rows.length > 0 && (
        <LoadOlder
          what="SMS"
          many="SMS"
          count={PAGE_SIZE}
          shown={rows.length}
          hasMore={texts.hasNextPage}
          loading={texts.isFetchingNextPage}
          onLoad={() => void texts.fetchNextPage()}
        />
      )}
    </Panel>
  );
}

function card(text: Text) {
  const { id, to, message, segments, created_at } = text;
  return (
    <>
      <div className="flex min-h-7 items-center justify-between gap-3">
        <TextLink id={id} to={to} />
        <MessageStatusBadge message={text} channel="sms" />
      </div>
      <p className="mt-1 line-clamp-2 wrap-anywhere text-muted">{message}</p>
      <p className="mt-1 flex justify-between text-meta text-muted">
        {formatCount(segments, 'segment')}
        <Time value={created_at} />
      </p>
    </>
  );
}

function TextLink({ id, to }: Pick<Text, 'id' | 'to'>) {
  return (
    <Link from="/sms" to="/sms" search={(before) => ({ ...before, id })} resetScroll={false} className={rowLinkClasses}>
      {to}
    </Link>
  );
}

interface NothingProps {
  status: Status | undefined;
  onClear: () => void;
  onCompose: () => void;
}

function Nothing({ status, onClear, onCompose }: NothingProps) {
  if (status === undefined) {
    return (
      <EmptyState
        icon={<MessageSquare />}
        title="No SMS yet."
        actions={<Button onClick={onCompose}>Write the first SMS</Button>}
      >
        The sandbox records messages without sending them, so testing is free.
      </EmptyState>
    );
  }
  const { word, meaning } = meaningOf('message', status);
  return (
    <EmptyState title={`No ${word.toLowerCase()} SMS.`} actions={<Button onClick={onClear}>Clear filters</Button>}>
      {word}: {meaning}
    </EmptyState>
  );
}
