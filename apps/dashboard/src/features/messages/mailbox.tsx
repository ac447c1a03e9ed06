import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { MailOpen } from 'lucide-react';
import { type ReactNode, useCallback, useEffect, useRef } from 'react';
import { usePendingRows } from '../../api/use-list.js';
import { useShortcut } from '../../keyboard/use-shortcut.js';
import { useCan } from '../../session/use-session.js';
import { cx, EmptyState, type TableHandle, useMedia } from '../../ui/index.js';
import { DraftsList } from './drafts-list.js';
import type { EmailDraft } from './email-draft.js';
import { EmailList } from './email-list.js';
import { ReadingPane } from './email-reader.js';
import { FolderNav } from './folder-nav.js';
import type { Folder } from './folders.js';
import { SuppressedList } from './suppressed-list.js';
import { useEmails } from './use-emails.js';

export interface MailboxProps {
  folder: Folder | undefined;
  id: string | undefined;
  draft: EmailDraft | null;
  onCompose: () => void;
}

/** The width from which the list and the message are shown side by side. */
const TWO_PANES = '(width >= 64rem)';

/** The folders, the list and the message, side by side if the window is wide enough. */
export function Mailbox({ folder, id, draft, onCompose }: MailboxProps) {
  return (
    <div className="xl:flex xl:gap-6">
      <FolderNav current={folder ?? 'all'} drafts={draft ? 1 : 0} isReading={id !== undefined} />
      <div className="min-w-0 flex-1">
        {folder === 'drafts' ? (
          <Box>
            <DraftsList draft={draft} onOpen={onCompose} />
          </Box>
        ) : folder === 'suppressed' ? (
          <Box>
            <Suppressed />
          </Box>
        ) : (
          <Messages key={folder} folder={folder} id={id} onCompose={onCompose} />
        )}
      </div>
    </div>
  );
}

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

function Messages({ folder, id, onCompose }: MessagesProps) {
  const emails = useEmails(folder);
  const queries = useQueryClient();
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
  const changed = useCallback(() => void queries.invalidateQueries({ queryKey: ['listEmails'] }), [queries]);
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
          <ReadingPane id={id} onBack={back} takesFocus={!hasTwoPanes} onChanged={changed} />
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
