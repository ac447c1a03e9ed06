import type { MessageStatus } from '@jobline/contracts';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { MailOpen } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { useShortcut } from '../../keyboard/use-shortcut.js';
import { StatusBadge } from '../../product/status.js';
import type { Change } from '../../search-params.js';
import { useCan } from '../../session/use-session.js';
import { Page } from '../../shell/page-frame.js';
import { Button, cx, EmptyState, Panel, type TableHandle, useMedia } from '../../ui/index.js';
import { type EmailDraft, isBlank } from './draft.js';
import { EmailCompose, useEmailCompose } from './email-compose.js';
import { EmailReader } from './email-reader.js';
import { EmptyFolder, FolderNav, folderOf } from './folders.js';
import { MessageFilters } from './message-filters.js';
import { MessageList } from './message-list.js';
import { isFiltered, NO_FILTERS } from './model.js';
import { useMessages } from './queries.js';
import { SuppressedList } from './suppressions.js';

const route = getRouteApi('/app/email');
type EmailChange = Change<ReturnType<typeof route.useSearch>>;

/** Shows which emails were sent and whether they were delivered, and composes new ones. */
export function EmailPage() {
  const { folder, id, compose } = route.useSearch();
  const navigate = useNavigate({ from: '/email' });
  const go = (change: EmailChange) => navigate({ search: (before) => ({ ...before, ...change }), resetScroll: false });
  const open = () => void go({ compose: 1 });
  const close = () => void go({ compose: undefined, template: undefined });
  const composing = useEmailCompose(compose === 1, close);
  const written = isBlank(composing.values) ? null : composing.values;
  useShortcut({ keys: 'n', label: 'Compose', group: 'Email', run: open });
  return (
    <Page
      title="Email"
      actions={
        <Button variant="primary" onClick={open}>
          {written ? 'Continue draft' : 'Compose'}
        </Button>
      }
    >
      <div className="xl:flex xl:gap-6">
        <FolderNav current={folder ?? 'all'} drafts={written ? 1 : 0} isReading={id !== undefined} />
        <div className="min-w-0 flex-1">
          {folder === 'drafts' || folder === 'suppressed' ? (
            <Panel padding="none">
              {folder === 'drafts' ? <DraftsList draft={written} onOpen={open} /> : <Suppressed />}
            </Panel>
          ) : (
            <Messages folder={folder} go={go} onCompose={open} />
          )}
        </div>
      </div>
      <EmailCompose open={compose === 1} composing={composing} onOpen={open} onClose={close} />
    </Page>
  );
}

/** The width from which the list and the message are shown side by side. */
const TWO_PANES = '(width >= 64rem)';

function Suppressed() {
  const can = useCan();
  if (can('suppressions')) return <SuppressedList />;
  return (
    <EmptyState title="Only owners and admins can see suppressed addresses">
      Ask one of them to remove a suppression.
    </EmptyState>
  );
}

interface MessagesProps {
  /** Undefined: all sent emails. */
  folder: MessageStatus | undefined;
  /** Changes the given search parameters and keeps the others. */
  go: (change: EmailChange) => Promise<void>;
  onCompose: () => void;
}

/** The emails of a folder and the open one, side by side if the window is wide enough. */
function Messages({ folder, go, onCompose }: MessagesProps) {
  const params = route.useSearch();
  const { id } = params;
  const { list: emails, pending } = useMessages('email', folder, params);
  const list = useRef<TableHandle>(null);
  const pane = useRef<HTMLDivElement>(null);
  const hasTwoPanes = useMedia(TWO_PANES);
  const rows = pending.shown;
  // The open email, which the user has just sent or opened by its URL, is shown immediately.
  useEffect(() => {
    if (pending.hidden.some((email) => email.id === id)) pending.show();
  });
  // There is nothing to select, so only the list pane is shown.
  const isSinglePane = !id && (rows?.length === 0 || (emails.error && !rows));
  const open = (next: string | undefined) => go({ id: next });
  const focusRow = (row: string | undefined) =>
    pane.current?.querySelector<HTMLElement>(`[data-row-id="${row}"] a`)?.focus();
  const move = (step: 1 | -1) => {
    if (!id) return list.current?.move(step);
    const next = rows?.[rows.findIndex((row) => row.id === id) + step]?.id;
    if (next) void open(next).then(() => focusRow(next));
  };
  useShortcut({ keys: 'j', label: 'Next email', group: 'Email', run: () => move(1) });
  useShortcut({ keys: 'k', label: 'Previous email', group: 'Email', run: () => move(-1) });
  const back = () => void open(undefined).then(() => focusRow(id));
  useShortcut({ keys: 'u', label: 'Back to the list', group: 'Email', run: back }, { enabled: id !== undefined });
  const noMatch = (
    <EmptyState title="No emails match." actions={<Button onClick={() => void go(NO_FILTERS)}>Clear filters</Button>} />
  );
  return (
    <>
      <MessageFilters
        channel="email"
        filters={params}
        onChange={(change) => void go({ ...change, id: undefined })}
        className={cx('mb-3', id && 'max-lg:hidden')}
      />
      <div
        ref={pane}
        className="rounded-card border border-line bg-surface max-lg:overflow-clip lg:flex lg:h-[calc(100dvh-15rem)] lg:min-h-112 xl:h-[calc(100dvh-11.5rem)]"
      >
        <div
          className={cx(
            'min-w-0 lg:overflow-y-auto',
            isSinglePane ? 'flex-1' : 'lg:w-96 lg:shrink-0 lg:border-r lg:border-line',
            id && 'max-lg:hidden',
          )}
        >
          <MessageList
            ref={list}
            channel="email"
            list={emails}
            pending={pending}
            layout="cards"
            caption={`Emails, ${folderOf(folder).label}`}
            currentId={id}
            empty={
              isFiltered(params) ? noMatch : <EmptyFolder folder={folder} onCompose={folder ? undefined : onCompose} />
            }
          />
        </div>
        <div className={cx('min-w-0 flex-1 lg:overflow-y-auto', !id && 'max-lg:hidden', isSinglePane && 'hidden')}>
          {id ? (
            <EmailReader id={id} onBack={back} takesFocus={!hasTwoPanes} />
          ) : (
            rows && (
              <EmptyState icon={<MailOpen />} title="No email is open" className="lg:pt-32">
                Select an email from the list. Keys: j and k move, Enter opens, u goes back.
              </EmptyState>
            )
          )}
        </div>
      </div>
    </>
  );
}

/** The draft of this tab; null if there is none. */
function DraftsList({ draft, onOpen }: { draft: EmailDraft | null; onOpen: () => void }) {
  if (!draft) return <EmptyFolder folder="drafts" onCompose={onOpen} />;
  return (
    <ul aria-label="Drafts">
      <li className="flex items-center justify-between gap-3 px-4 py-3">
        <div className="flex min-w-0 flex-col gap-1">
          <span className="truncate font-medium">{draft.to.trim() || 'No recipient yet'}</span>
          <span className="truncate text-muted">{draft.subject.trim() || 'No subject yet'}</span>
        </div>
        <span className="flex shrink-0 items-center gap-3">
          <StatusBadge kind="message" status="draft" />
          <Button size="small" onClick={onOpen} data-row-link>
            Continue
          </Button>
        </span>
      </li>
    </ul>
  );
}
