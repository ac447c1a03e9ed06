import { getRouteApi } from '@tanstack/react-router';
import { MessageSquare } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { useRowShortcuts, useShortcut } from '../../keyboard/use-shortcut.js';
import { Page } from '../../shell/page-frame.js';
import { useSearchChange } from '../../shell/use-search-change.js';
import { Button, EmptyState, type TableHandle, Tabs, useMedia } from '../../ui/index.js';
import { SMS } from './draft.js';
import { MessageHistory } from './message-history.js';
import { MessageReport } from './message-report.js';
import { useMessages } from './queries.js';
import { SmsCompose } from './sms-compose.js';
import { useCompose } from './use-compose.js';

const route = getRouteApi('/app/sms');
/** The width from which the form and the history are shown side by side. */
const WIDE = '(width >= 80rem)';
/** The widths at which the form is next to the list and leaves too little space for the column of messages. */
const TIGHT = '(80rem <= width < 90rem)';

/** Sends SMS, and shows whether they were delivered and how many segments they had. */
export function SmsPage() {
  const params = route.useSearch();
  const { id, status, tab = 'compose' } = params;
  const go = useSearchChange<ReturnType<typeof route.useSearch>>();
  const isWide = useMedia(WIDE);
  const isTight = useMedia(TIGHT);
  const messages = useMessages('sms', status, params);
  // The state of the form belongs to the page, so that switching between panels loses neither draft nor result.
  const composing = useCompose(SMS, { onListed: messages.pending.show });
  const table = useRef<TableHandle>(null);
  const [focusCompose, setFocusCompose] = useState(false);
  const hasForm = isWide || tab === 'compose';

  const write = () => {
    if (!hasForm) go({ tab: undefined });
    setFocusCompose(true);
  };
  useEffect(() => {
    if (!focusCompose || !hasForm) return;
    composing.form.setFocus('to');
    setFocusCompose(false);
  });

  useShortcut({ keys: 'n', label: 'Write an SMS', group: 'SMS', run: write });
  useRowShortcuts(table, 'SMS', 'SMS');

  const form = <SmsCompose composing={composing} />;
  const history = (
    <MessageHistory
      ref={table}
      channel="sms"
      params={params}
      {...messages}
      layout={isTight ? 'cards' : 'auto'}
      empty={
        <EmptyState
          icon={<MessageSquare />}
          title="No SMS yet."
          actions={<Button onClick={write}>Write the first SMS</Button>}
        >
          The SMS of your organization appear here: those that you write, and those of jobs.
        </EmptyState>
      }
    />
  );
  return (
    <Page title="SMS">
      {isWide ? (
        <div className="grid grid-cols-[24rem_minmax(0,1fr)] items-start gap-6">
          {form}
          {history}
        </div>
      ) : (
        <Tabs
          label="SMS"
          value={tab}
          onChange={(next) => go({ tab: next === 'compose' ? undefined : next })}
          tabs={[
            { value: 'compose', label: 'Compose', content: form },
            { value: 'history', label: 'History', content: history },
          ]}
        />
      )}
      {id !== undefined && <MessageReport channel="sms" id={id} />}
    </Page>
  );
}
