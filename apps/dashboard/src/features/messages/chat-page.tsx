import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { MessagesSquare } from 'lucide-react';
import { usePendingRows } from '../../api/use-list.js';
import { MessageStatusBadge } from '../../product/message/message-status.js';
import { Page } from '../../shell/page-frame.js';
import { type Column, EmptyState, Fact, rowLinkClasses, Time, textColumn, timeColumn } from '../../ui/index.js';
import { HistoryPanel } from './history-panel.js';
import { MessageReport, MessageText } from './message-report.js';
import { type ChatMessage, contentOf } from './model.js';
import { useChatList, useChatMessage } from './queries.js';

const route = getRouteApi('/app/chat');
type Search = ReturnType<typeof route.useSearch>;

/** The chat messages that jobs have sent, and whether they were delivered. */
export function ChatPage() {
  const { status, id } = route.useSearch();
  const navigate = useNavigate({ from: '/chat' });
  const list = useChatList(status);
  const pending = usePendingRows(status ?? 'all', list);

  const go = (change: { [Name in keyof Search]: Search[Name] | undefined }) =>
    void navigate({ search: (before) => ({ ...before, ...change }), resetScroll: false });
  return (
    <Page title="Chat">
      <HistoryPanel
        list={list}
        pending={pending}
        status={status}
        onStatus={(next) => go({ status: next })}
        currentId={id}
        shortcuts="Chat messages"
        what="chat message"
        many="chat messages"
        caption="Chat messages"
        columns={COLUMNS}
        card={card}
        empty={
          <EmptyState icon={<MessagesSquare />} title="No chat messages yet.">
            Jobs of the type send_chat_message send them.
          </EmptyState>
        }
      />
      {id !== undefined && <ChatReport id={id} onClose={() => go({ id: undefined })} />}
    </Page>
  );
}

const COLUMNS: readonly Column<ChatMessage>[] = [
  {
    header: 'Status',
    width: '184px',
    cell: (message) => <MessageStatusBadge message={message} channel="chat" />,
  },
  { header: 'To', width: '148px', cell: ({ id, to }) => <ChatLink id={id} to={to} /> },
  textColumn({ header: 'Message', className: 'text-muted' }, contentOf),
  timeColumn({ header: 'When', width: '108px', align: 'end' }, ({ created_at }) => created_at),
];

function card(message: ChatMessage) {
  const { id, to, created_at } = message;
  return (
    <>
      <div className="flex min-h-7 items-center justify-between gap-3">
        <ChatLink id={id} to={to} />
        <MessageStatusBadge message={message} channel="chat" />
      </div>
      <p className="mt-1 line-clamp-2 wrap-anywhere text-muted">{contentOf(message)}</p>
      <p className="mt-1 text-meta text-muted">
        <Time value={created_at} />
      </p>
    </>
  );
}

function ChatLink({ id, to }: Pick<ChatMessage, 'id' | 'to'>) {
  return (
    <Link
      from="/chat"
      to="/chat"
      search={(before) => ({ ...before, id })}
      resetScroll={false}
      className={rowLinkClasses}
    >
      {to}
    </Link>
  );
}

function ChatReport({ id, onClose }: { id: string; onClose: () => void }) {
  return (
    <MessageReport
      of={useChatMessage(id)}
      channel="chat"
      onClose={onClose}
      content={(message) => <MessageText text={contentOf(message)} />}
      facts={({ template, language }) =>
        template !== null && (
          <>
            <Fact name="Template">{template}</Fact>
            <Fact name="Language">{language ?? '–'}</Fact>
          </>
        )
      }
    />
  );
}
