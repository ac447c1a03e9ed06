import { Link } from '@tanstack/react-router';
import { MessageSquare } from 'lucide-react';
import type { Ref } from 'react';
import type { PendingRows } from '../../api/use-list.js';
import { formatCount } from '../../format/index.js';
import { MessageStatusBadge } from '../../product/message/message-status.js';
import { meaningOf } from '../../product/status.js';
import { ListTable } from '../../shell/list-table.js';
import {
  Button,
  type Column,
  EmptyState,
  Panel,
  rowLinkClasses,
  Select,
  type TableHandle,
  Time,
  textColumn,
  timeColumn,
  useMedia,
} from '../../ui/index.js';
import type { Sms, SmsStatus } from './model.js';
import { PAGE_SIZE, type useSmsList } from './queries.js';

const STATUSES = ['queued', 'sent', 'delivered', 'failed'] as const satisfies SmsStatus[];

const FILTER = [
  { value: 'all', label: 'All statuses' } as const,
  ...STATUSES.map((value) => ({ value, label: meaningOf('message', value).word })),
];

const COLUMNS: readonly Column<Sms>[] = [
  {
    header: 'Status',
    width: '184px',
    cell: (sms) => <MessageStatusBadge message={sms} channel="sms" />,
  },
  { header: 'To', width: '148px', cell: ({ id, to }) => <SmsLink id={id} to={to} /> },
  textColumn({ header: 'Message', className: 'text-muted' }, ({ message }) => message),
  { header: 'Segments', width: '92px', align: 'end', cell: ({ segments }) => segments },
  timeColumn({ header: 'When', width: '108px', align: 'end' }, ({ created_at }) => created_at),
];

/** The widths at which the form is next to the list and leaves too little space for the column of messages. */
const TIGHT = '(80rem <= width < 90rem)';

interface SmsListProps {
  list: ReturnType<typeof useSmsList>;
  pending: PendingRows<Sms>;
  status: SmsStatus | undefined;
  onStatus: (status: SmsStatus | undefined) => void;
  currentId: string | undefined;
  onCompose: () => void;
  ref: Ref<TableHandle>;
}

/** The SMS that were sent from this page, by jobs or by the API. */
export function SmsList({ list, pending, status, onStatus, currentId, onCompose, ref }: SmsListProps) {
  const isTight = useMedia(TIGHT);
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
      <ListTable
        ref={ref}
        list={list}
        pending={pending}
        pageSize={PAGE_SIZE}
        what="SMS"
        many="SMS"
        total
        caption="SMS"
        layout={isTight ? 'cards' : 'auto'}
        columns={COLUMNS}
        currentId={currentId}
        card={card}
        empty={<Nothing status={status} onClear={() => onStatus(undefined)} onCompose={onCompose} />}
      />
    </Panel>
  );
}

function card(sms: Sms) {
  const { id, to, message, segments, created_at } = sms;
  return (
    <>
      <div className="flex min-h-7 items-center justify-between gap-3">
        <SmsLink id={id} to={to} />
        <MessageStatusBadge message={sms} channel="sms" />
      </div>
      <p className="mt-1 line-clamp-2 wrap-anywhere text-muted">{message}</p>
      <p className="mt-1 flex justify-between text-meta text-muted">
        {formatCount(segments, 'segment')}
        <Time value={created_at} />
      </p>
    </>
  );
}

function SmsLink({ id, to }: Pick<Sms, 'id' | 'to'>) {
  return (
    <Link from="/sms" to="/sms" search={(before) => ({ ...before, id })} resetScroll={false} className={rowLinkClasses}>
      {to}
    </Link>
  );
}

interface NothingProps {
  status: SmsStatus | undefined;
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
