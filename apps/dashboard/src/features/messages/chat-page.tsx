import { getRouteApi } from '@tanstack/react-router';
import { MessagesSquare } from 'lucide-react';
import { Page } from '../../shell/page-frame.js';
import { EmptyState } from '../../ui/index.js';
import { MessageHistory } from './message-history.js';
import { MessageReport } from './message-report.js';
import { useMessages } from './queries.js';

const route = getRouteApi('/app/chat');

/** The chat messages that jobs have sent, and whether they were delivered. */
export function ChatPage() {
  const params = route.useSearch();
  const messages = useMessages('chat', params.status, params);
  return (
    <Page title="Chat">
      <MessageHistory
        channel="chat"
        params={params}
        {...messages}
        shortcuts="Chat messages"
        empty={
          <EmptyState icon={<MessagesSquare />} title="No chat messages yet.">
            Jobs of the type send_chat_message send them.
          </EmptyState>
        }
      />
      {params.id !== undefined && <MessageReport channel="chat" id={params.id} />}
    </Page>
  );
}
