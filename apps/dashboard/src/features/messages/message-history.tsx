import type { Channel } from '@jobline/contracts';
import type { ComponentProps } from 'react';
import { meaningOf } from '../../product/status.js';
import { useSearchChange } from '../../shell/use-search-change.js';
import { Button, EmptyState, Panel, Select } from '../../ui/index.js';
import { CHANNELS } from './channels.js';
import { MessageFilters } from './message-filters.js';
import { MessageList } from './message-list.js';
import { type chatSearch, isFiltered, NO_FILTERS } from './model.js';

/** The statuses of SMS and of chat messages. */
const STATUSES = ['queued', 'sent', 'delivered', 'failed'] as const;

const OPTIONS = [
  { value: 'all', label: 'All statuses' } as const,
  ...STATUSES.map((value) => ({ value, label: meaningOf('message', value).word })),
];

interface MessageHistoryProps
  extends Pick<ComponentProps<typeof MessageList>, 'list' | 'pending' | 'layout' | 'shortcuts' | 'empty' | 'ref'> {
  channel: Exclude<Channel, 'email'>;
  params: ReturnType<typeof chatSearch>;
}

/** The history of SMS or chat messages with its filters. `empty` is shown if there is no message at all. */
export function MessageHistory({ channel, params, empty, ...table }: MessageHistoryProps) {
  const { status, id } = params;
  const go = useSearchChange<typeof params>();
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
