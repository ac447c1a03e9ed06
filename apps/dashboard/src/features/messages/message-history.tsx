import type { Channel } from '@jobline/contracts';
import { useNavigate } from '@tanstack/react-router';
import type { ReactNode, Ref } from 'react';
import type { List, PendingRows } from '../../api/use-list.js';
import { meaningOf } from '../../product/status.js';
import { Button, EmptyState, Panel, Select, type TableHandle } from '../../ui/index.js';
import { CHANNELS, type Message, type SmsStatus } from './channels.js';
import { MessageFilters } from './message-filters.js';
import { MessageList } from './message-list.js';
import { type Filters, isFiltered, NO_FILTERS } from './model.js';

/** The statuses of SMS and of chat messages. */
const STATUSES = ['queued', 'sent', 'delivered', 'failed'] as const satisfies SmsStatus[];

const OPTIONS = [
  { value: 'all', label: 'All statuses' } as const,
  ...STATUSES.map((value) => ({ value, label: meaningOf('message', value).word })),
];

interface MessageHistoryProps {
  channel: Exclude<Channel, 'email'>;
  params: Filters & { status?: SmsStatus; id?: string };
  list: List<Message>;
  pending: PendingRows<Message>;
  layout?: 'auto' | 'cards';
  /** The heading of the keys `j` and `k` in the help dialog. Absent: the page has its own keys. */
  shortcuts?: string;
  /** Shown if there is no message at all. */
  empty: ReactNode;
  ref?: Ref<TableHandle>;
}

/** The history of SMS or chat messages with its filters, and the report of the open one. */
export function MessageHistory({ channel, params, empty, ...table }: MessageHistoryProps) {
  const { status, id } = params;
  const navigate = useNavigate();
  const go = (change: object) =>
    void navigate({ to: '.', search: (before) => ({ ...before, ...change }), resetScroll: false });
  const { many } = CHANNELS[channel];
  const noMatch = (
    <EmptyState
      title={status ? `No ${meaningOf('message', status).word.toLowerCase()} ${many}.` : `No ${many} match.`}
      actions={<Button onClick={() => go({ ...NO_FILTERS, status: undefined })}>Clear filters</Button>}
    >
      {status && `${meaningOf('message', status).word}: ${meaningOf('message', status).meaning}`}
    </EmptyState>
  );
  return (
    <Panel title="History" padding="none">
      <MessageFilters channel={channel} filters={params} onChange={go} className="border-b border-line px-4 py-3">
        <Select
          label="Status"
          options={OPTIONS}
          value={status ?? 'all'}
          onChange={(value) => go({ status: value === 'all' ? undefined : value })}
          className="w-36!"
        />
      </MessageFilters>
      <MessageList
        channel={channel}
        caption={`${CHANNELS[channel].One}${channel === 'chat' ? 's' : ''}`}
        currentId={id}
        empty={status || isFiltered(params) ? noMatch : empty}
        {...table}
      />
    </Panel>
  );
}
