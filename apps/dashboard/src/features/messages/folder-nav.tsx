import { Link, useNavigate } from '@tanstack/react-router';
import { useCan } from '../../session/use-session.js';
import { cx, Select } from '../../ui/index.js';
import { FOLDERS, type FolderMeaning } from './folders.js';

export interface FolderNavProps {
  current: FolderMeaning['value'];
  drafts: number;
  /** Whether a message is open. On small screens it replaces the list. */
  isReading: boolean;
}

/** The folders, as a column on wide screens or as a select above the list. */
export function FolderNav({ current, drafts, isReading }: FolderNavProps) {
  const can = useCan();
  const navigate = useNavigate();
  const folders = FOLDERS.filter(({ value }) => value !== 'suppressed' || can('suppressions'));
  const countOf = (value: string) => (value === 'drafts' && drafts > 0 ? drafts : null);
  return (
    <>
      <nav aria-label="Folders" className="hidden w-44 shrink-0 xl:block">
        <ul className="flex flex-col gap-0.5">
          {folders.map(({ value, label, icon: Icon }) => (
            <li key={value}>
              <Link
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
                <Icon aria-hidden="true" size={16} className="shrink-0" />
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
          onChange={(value) => void navigate({ to: '/email', search: searchOf(value) })}
          options={folders.map(({ value, label }) => ({
            value,
            label: countOf(value) === null ? label : `${label} (${countOf(value)})`,
          }))}
        />
      </div>
    </>
  );
}

function searchOf(value: FolderMeaning['value']) {
  return value === 'all' ? {} : { folder: value };
}
