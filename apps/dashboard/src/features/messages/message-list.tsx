import type { Channel } from '@jobline/contracts';
import { Link } from '@tanstack/react-router';
import type { ComponentProps } from 'react';
import { formatCount } from '../../format/index.js';
import { MessageStatusBadge } from '../../product/message/message-status.js';
import { ListTable } from '../../shell/list-table.js';
import { rowLinkClasses, Time, timeColumn } from '../../ui/index.js';
import { CHANNELS, contentOf, type Message, RECIPIENT_KINDS } from './channels.js';
import { PAGE_SIZE } from './queries.js';

interface MessageListProps
  extends Omit<ComponentProps<typeof ListTable<Message>>, 'what' | 'many' | 'columns' | 'card' | 'pageSize'> {
  channel: Channel;
}

/** The messages of a channel, newest first. The link of a row adds its id to the address of the page. */
export function MessageList({ channel, ...table }: MessageListProps) {
  const { one, many } = CHANNELS[channel];
  return (
    <ListTable
      what={one}
      many={many}
      total
      pageSize={PAGE_SIZE}
      skeletonRows={8}
      columns={[
        {
          header: 'Status',
          width: '184px',
          cell: (message) => <MessageStatusBadge message={message} channel={channel} />,
        },
        { header: 'To', width: '140px', cell: (message) => <MessageLink message={message} /> },
        {
          header: 'Message',
          cell: (message) => (
            <span className="block truncate text-muted" title={contentOf(message) ?? undefined}>
              <Reason message={message} />
              {segmentsOf(message)}
              {contentOf(message)}
            </span>
          ),
        },
        timeColumn<Message>({ header: 'When', width: '96px', align: 'end' }, ({ created_at }) => created_at),
      ]}
      card={(message) => <Card channel={channel} message={message} />}
      cardHeight="min-h-[4.75rem]"
      {...table}
    />
  );
}

function Card({ channel, message }: { channel: Channel; message: Message }) {
  const isEmail = channel === 'email';
  return (
    <div className="flex flex-col gap-1.5">
      <div className="flex items-baseline justify-between gap-3">
        <MessageLink message={message} />
        <Time value={message.created_at} className="shrink-0 text-meta text-muted" />
      </div>
      <div className="flex items-center justify-between gap-3">
        <span className={isEmail ? 'min-w-0 truncate text-muted' : 'line-clamp-2 min-w-0 wrap-anywhere text-muted'}>
          {segmentsOf(message)}
          {contentOf(message)}
        </span>
        <span className="shrink-0">
          <MessageStatusBadge message={message} channel={channel} />
        </span>
      </div>
      {message.error && (
        <p className="truncate text-meta" title={message.error.message}>
          <Reason message={message} />
        </p>
      )}
    </div>
  );
}

function MessageLink({ message }: { message: Message }) {
  const { id, to } = message;
  const copiedAs = 'copied_as' in message ? message.copied_as : null;
  return (
    <Link to="." search={(before) => ({ ...before, id })} resetScroll={false} className={rowLinkClasses}>
      {to}
      {copiedAs && <span className="text-meta text-muted"> ({RECIPIENT_KINDS[copiedAs]})</span>}
    </Link>
  );
}

/** Why the message failed. */
function Reason({ message: { error } }: { message: Message }) {
  return error && <span className="text-danger">{error.message || error.code} </span>;
}

/** An SMS usually has one segment. */
function segmentsOf(message: Message): string | false {
  return 'segments' in message && message.segments > 1 && `${formatCount(message.segments, 'segment')}: `;
}
