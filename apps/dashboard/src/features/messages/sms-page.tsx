import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { usePendingRows } from '../../api/use-list.js';
import { useShortcut } from '../../keyboard/use-shortcut.js';
import { Page } from '../../shell/page-frame.js';
import { type TableHandle, Tabs, useMedia } from '../../ui/index.js';
import { useSmsList } from './queries.js';
import { SmsCompose, useSmsCompose } from './sms-compose.js';
import { SmsList } from './sms-list.js';
import { SmsReport } from './sms-report.js';

const route = getRouteApi('/app/sms');
type Search = ReturnType<typeof route.useSearch>;
/** The width from which the form and the history are shown side by side. */
const WIDE = '(width >= 80rem)';

/** Sends SMS, and shows whether they were delivered and how many segments they had. */
export function SmsPage() {
  const { status, id, tab = 'compose' } = route.useSearch();
  const navigate = useNavigate({ from: '/sms' });
  const isWide = useMedia(WIDE);
  const list = useSmsList(status);
  const pending = usePendingRows(status ?? 'all', list);
  const composing = useSmsCompose(pending.show);
  const table = useRef<TableHandle>(null);
  const [focusCompose, setFocusCompose] = useState(false);
  const hasForm = isWide || tab === 'compose';

  const go = (change: { [Name in keyof Search]: Search[Name] | undefined }) =>
    void navigate({ search: (before) => ({ ...before, ...change }), resetScroll: false });
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
  useShortcut({ keys: 'j', label: 'Next SMS', group: 'SMS', run: () => table.current?.move(1) });
  useShortcut({ keys: 'k', label: 'Previous SMS', group: 'SMS', run: () => table.current?.move(-1) });

  const form = <SmsCompose composing={composing} />;
  const history = (
    <SmsList
      ref={table}
      list={list}
      pending={pending}
      status={status}
      onStatus={(next) => go({ status: next })}
      currentId={id}
      onCompose={write}
    />
  );
  return (
    <Page title="SMS">
      {isWide ? (
        <div className="grid grid-cols-[25rem_minmax(0,1fr)] items-start gap-6">
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
      {id !== undefined && <SmsReport id={id} onClose={() => go({ id: undefined })} />}
    </Page>
  );
}
