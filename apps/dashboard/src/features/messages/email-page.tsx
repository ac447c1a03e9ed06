import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { MailOpen, PencilLine } from 'lucide-react';
import { type ReactNode, useEffect, useRef } from 'react';
import { usePendingRows } from '../../api/use-list.js';
import { useShortcut } from '../../keyboard/use-shortcut.js';
import { StatusBadge } from '../../product/status.js';
import { useCan } from '../../session/use-session.js';
import { Page } from '../../shell/page-frame.js';
import { Button, cx, EmptyState, type TableHandle, useMedia } from '../../ui/index.js';
import { EmailCompose, useEmailCompose } from './email-compose.js';
import { EmailList } from './email-list.js';
import { EmailReader } from './email-reader.js';
import { type Folder, FolderNav, folderOf } from './folders.js';
import { type EmailDraft, isBlank } from './model.js';
import { useEmails } from './queries.js';
import { SuppressedList } from './suppressions.js';

const route = getRouteApi('/app/email');

/** Shows which emails were sent and whether they were delivered, and composes new ones. */
export function EmailPage() {
  const { folder, id, compose } = route.useSearch();
  const navigate = useNavigate();
  const current = { ...(folder && { folder }), ...(id && { id }) };
  const open = () => void navigate({ to: '/email', search: { ...current, compose: 1 } });
  const close = () => void navigate({ to: '/email', search: current });
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
          {folder === 'drafts' ? (
            <Box>
              <DraftsList draft={written} onOpen={open} />
            </Box>
          ) : folder === 'suppressed' ? (
            <Box>
              <Suppressed />
            </Box>
          ) : (
            <Messages key={folder} folder={folder} id={id} onCompose={open} />
          )}
        </div>
      </div>
      <EmailCompose open={compose === 1} composing={composing} onOpen={open} onClose={close} />
    </Page>
  );
}

/** The width from which the list and the message are shown side by side. */
const TWO_PANES = '(width >= 64rem)';

function Box({ children }: { children: ReactNode }) {
  return <div className="overflow-clip rounded-card border border-line bg-surface">{children}</div>;
}

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
  folder: Exclude<Folder, 'drafts' | 'suppressed'> | undefined;
  id: string | undefined;
  onCompose: () => void;
}

/** The emails of a folder and the open one, side by side if the window is wide enough. */
function Messages({ folder, id, onCompose }: MessagesProps) {
  const emails = useEmails(folder);
  const navigate = useNavigate();
  const list = useRef<TableHandle>(null);
  const pane = useRef<HTMLDivElement>(null);
  const hasTwoPanes = useMedia(TWO_PANES);
  const pending = usePendingRows(folder ?? 'all', emails);
  const rows = pending.shown;
  // The open email, which the user has just sent or opened by its URL, is shown immediately.
  useEffect(() => {
    if (pending.hidden.some((email) => email.id === id)) pending.show();
  });
  // There is nothing to select, so only the list pane is shown.
  const isSinglePane = !id && (rows?.length === 0 || (emails.error && !rows));
  const open = (next: string | undefined) =>
    navigate({ to: '/email', search: { ...(folder && { folder }), ...(next && { id: next }) }, resetScroll: false });
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
  return (
    <div
      ref={pane}
      className="rounded-card border border-line bg-surface max-lg:overflow-clip lg:flex lg:h-[calc(100dvh-12rem)] lg:min-h-112 xl:h-[calc(100dvh-8.5rem)]"
    >
      <div
        className={cx(
          'min-w-0 lg:overflow-y-auto',
          isSinglePane ? 'flex-1' : 'lg:w-96 lg:shrink-0 lg:border-r lg:border-line',
          id && 'max-lg:hidden',
        )}
      >
        <EmailList
          ref={list}
          folder={folder ?? 'all'}
          emails={emails}
          pending={pending}
          currentId={id}
          onCompose={onCompose}
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
  );
}

interface DraftsListProps {
  /** Null if there is no draft. */
  draft: EmailDraft | null;
  onOpen: () => void;
}

/** The draft of this tab. */
function DraftsList({ draft, onOpen }: DraftsListProps) {
  if (!draft) {
    const { title, text } = folderOf('drafts').empty;
    return (
      <EmptyState icon={<PencilLine />} title={title} actions={<Button onClick={onOpen}>Compose</Button>}>
        {text}
      </EmptyState>
    );
  }
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
