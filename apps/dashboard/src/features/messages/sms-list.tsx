import { Link } from '@tanstack/react-router';
import { MessageSquare } from 'lucide-react';
import type { Ref } from 'react';
import type { PendingRows } from '../../api/use-list.js';
import { formatCount } from '../../format/index.js';
import { MessageStatusBadge } from '../../product/message/message-status.js';
import {
  Button,
  type Column,
  EmptyState,
  rowLinkClasses,
  type TableHandle,
  Time,
  textColumn,
  timeColumn,
  useMedia,
} from '../../ui/index.js';
import { HistoryPanel } from './history-panel.js';
import type { Sms, SmsStatus } from './model.js';
import type { useSmsList } from './queries.js';

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
export function SmsList({ onCompose, ...history }: SmsListProps) {
  const isTight = useMedia(TIGHT);
  return (
    <HistoryPanel
      {...history}
      what="SMS"
      many="SMS"
      caption="SMS"
      layout={isTight ? 'cards' : 'auto'}
      columns={COLUMNS}
      card={card}
      empty={
        <EmptyState
          icon={<MessageSquare />}
          title="No SMS yet."
          actions={<Button onClick={onCompose}>Write the first SMS</Button>}
        >
          The SMS of your organization appear here: those that you write, and those of jobs.
        </EmptyState>
      }
    />
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
