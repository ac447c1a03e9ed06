import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { usePendingRows } from '../../api/use-list.js';
import { useShortcut } from '../../keyboard/use-shortcut.js';
import { Page } from '../../shell/page-frame.js';
import { type TableHandle, Tabs, useMedia } from '../../ui/index.js';
import { Compose } from './sms-compose.js';
import { History } from './sms-list.js';
import { Report } from './sms-reader.js';
import { smsSearch } from './sms-search.js';
import { useCompose } from './use-compose.js';
import { useTexts } from './use-texts.js';

const route = getRouteApi('/app/sms');
type Search = ReturnType<typeof smsSearch>;
/** The width from which the form and the history are shown side by side. */
const WIDE = '(width >= 80rem)';

/** Sends SMS, and shows whether they were delivered and how many segments they had. */
export function SmsPage() {
  const { status, id, tab = 'compose' } = route.useSearch();
  const navigate = useNavigate({ from: '/sms' });
  const isWide = useMedia(WIDE);
  const texts = useTexts(status);
  const pending = usePendingRows(status ?? 'all', texts);
  const composing = useCompose(pending.show);
  const table = useRef<TableHandle>(null);
  const [focusCompose, setFocusCompose] = useState(false);
  const hasForm = isWide || tab === 'compose';

  const go = (change: { [Name in keyof Search]: Search[Name] | undefined }) =>
    void navigate({ search: (before) => smsSearch({ ...before, ...change }), resetScroll: false });
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
  useShortcut({
    keys: '/',
    label: 'Filter by status',
    group: 'SMS',
    run: () => document.querySelector<HTMLElement>('[data-filter] [role="combobox"]')?.focus(),
  });

  const form = <Compose composing={composing} />;
  const history = (
    <History
      ref={table}
      texts={texts}
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
      {id !== undefined && <Report id={id} onClose={() => go({ id: undefined })} />}
    </Page>
  );
}
