import type { MessageStatus } from '@jobline/contracts';
import { Link, useNavigate } from '@tanstack/react-router';
import { Inbox, type LucideIcon, PencilLine, ShieldBan } from 'lucide-react';
import { meaningOf } from '../../product/status.js';
import { useCan } from '../../session/use-session.js';
import { Button, cx, EmptyState, Select } from '../../ui/index.js';
import type { emailSearch } from './model.js';

/** The folders, as a column on wide screens or as a select above the list, which an open message replaces on small ones. */
export function FolderNav({ current, drafts, isReading }: { current: Folder; drafts: number; isReading: boolean }) {
  const can = useCan();
  const navigate = useNavigate({ from: '/email' });
  const folders = FOLDERS.filter(({ value }) => value !== 'suppressed' || can('suppressions'));
  const countOf = (value: string) => (value === 'drafts' && drafts > 0 ? drafts : null);
  return (
    <>
      <nav aria-label="Folders" className="hidden w-44 shrink-0 xl:block">
        <ul className="flex flex-col gap-0.5">
          {folders.map(({ value, label, icon: Icon }) => (
            <li key={value}>
              <Link
                from="/email"
                to="/email"
                search={searchOf(value)}
                activeOptions={{ exact: true }} // otherwise "All sent" would match every folder
                aria-current={value === current ? 'page' : undefined}
                className={cx(
                  'flex h-8 items-center gap-2.5 rounded-control px-2.5 text-body text-muted transition-colors',
                  'hover:bg-hover hover:text-text aria-[current=page]:bg-accent-soft aria-[current=page]:font-medium',
                  'aria-[current=page]:text-text',
                )}
              >
                <Icon size={16} className="shrink-0" />
                <span className="min-w-0 flex-1 truncate">{label}</span>
                {countOf(value) !== null && <span className="text-meta tabular-nums">{countOf(value)}</span>}
              </Link>
            </li>
          ))}
        </ul>
      </nav>
      <div className={cx('mb-3 sm:max-w-64 xl:hidden', isReading && 'max-lg:hidden')}>
        <Select
          label="Folder"
          value={current}
          onChange={(value) => void navigate({ search: searchOf(value) })}
          options={folders.map(({ value, label }) => ({
            value,
            label: countOf(value) === null ? label : `${label} (${countOf(value)})`,
          }))}
        />
      </div>
    </>
  );
}

/** The address of a folder, with the filters of the current one. */
function searchOf(value: Folder) {
  return (before: ReturnType<typeof emailSearch>) => {
    const { id: _id, folder: _folder, compose: _compose, template: _template, ...filters } = before;
    return value === 'all' ? filters : { ...filters, folder: value };
  };
}

interface EmptyFolderProps {
  folder: Folder | undefined;
  /** Offers to write an email. */
  onCompose?: (() => void) | undefined;
}

/** Says what an empty folder is for. */
export function EmptyFolder({ folder, onCompose }: EmptyFolderProps) {
  const { icon: Icon, title, text } = folderOf(folder);
  return (
    <EmptyState icon={<Icon />} title={title} actions={onCompose && <Button onClick={onCompose}>Compose</Button>}>
      {text}
    </EmptyState>
  );
}

/** `all`: the URL has no folder. */
type Folder = MessageStatus | 'all' | 'drafts' | 'suppressed';

/** What an empty folder says. In the order of the folders, by how often users need them. */
const EMPTY_TEXTS: Readonly<Record<Folder, string>> = {
  all: 'Write the first email, or submit a send_email job.',
  delivered:
    'Emails that the provider reported as delivered. Delivery reports must be configured: see the documentation.',
  bounced: 'Emails that the recipient’s server returned. After a permanent bounce, the address is suppressed.',
  failed: 'Emails that the provider rejected or could not deliver, with the reason.',
  complained: 'Emails that recipients marked as spam. Their addresses are suppressed.',
  sent: 'Emails that the provider accepted and has not reported on yet.',
  queued: 'Emails that the provider has not accepted yet. They usually stay here only for a moment.',
  drafts: 'A draft is kept in this tab until it is sent or discarded.',
  suppressed: 'An address is suppressed after a hard bounce or a complaint. No more emails are sent to it.',
};

/** The folders that are not a status. */
const OTHERS: Partial<Record<Folder, { label: string; icon: LucideIcon; title: string }>> = {
  all: { label: 'All sent', icon: Inbox, title: 'Nothing sent yet' },
  drafts: { label: 'Drafts', icon: PencilLine, title: 'No draft' },
  suppressed: { label: 'Suppressed', icon: ShieldBan, title: 'No suppressed addresses' },
};

/** Returns how a folder is shown, and what it says if it is empty. */
export function folderOf(value: Folder = 'all') {
  const { word, icon } = meaningOf('message', value);
  const status = { label: word, icon, title: `No ${word.toLowerCase()} emails` };
  return { value, text: EMPTY_TEXTS[value], ...(OTHERS[value] ?? status) };
}

// The cast: the keys are those of EMPTY_TEXTS.
const FOLDERS = (Object.keys(EMPTY_TEXTS) as Folder[]).map((value) => folderOf(value));
