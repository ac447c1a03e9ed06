import type { Found } from '@jobline/client';
import { type Right, SEARCH_LIMITS } from '@jobline/contracts';
import { useQuery } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { Command, defaultFilter } from 'cmdk';
import { FileText, History, type LucideIcon, Plus } from 'lucide-react';
import { useEffect, useState } from 'react';
import { formatRelative, truncateMiddle } from '../format/index.js';
import { useApi, useServices } from '../services.js';
import { useMe } from '../session/use-session.js';
import { controlClasses } from '../ui/field.js';
import { useDebounced } from '../ui/hooks.js';
import { Dialog, useNow } from '../ui/index.js';
import { DESTINATIONS, useCanOpen } from './navigation.js';

const TYPING_MS = 150;
const MAX_RECENT = 8;

const ACTIONS: readonly { label: string; url: string; right: Right }[] = [
  { label: 'New job', url: '/?new=1', right: 'jobs' },
  { label: 'Show failures', url: '/?view=failures', right: 'jobs' },
  { label: 'Compose an email', url: '/email?compose=1', right: 'messages' },
  { label: 'New template', url: '/templates?new=1', right: 'templates' },
  { label: 'Create an API key', url: '/keys?new=1', right: 'api_keys' },
  { label: 'Invite a person', url: '/team?invite=1', right: 'invites' },
];

/** Finds objects, pages and actions. `lazy` needs the default export. */
export default function Palette({ onClose }: { onClose: () => void }) {
  const [text, setText] = useState('');
  const words = text.trim();
  const searched = useDebounced(words, TYPING_MS);
  const api = useApi();
  const { org } = useMe();
  const { recent, remember } = useRecent(org.id);
  const found = useQuery({
    queryKey: ['search', org.id, searched],
    queryFn: ({ signal }) => api.search(searched, { signal }),
    enabled: searched.length >= SEARCH_LIMITS.leastLength,
  });
  const canOpen = useCanOpen();
  const router = useRouter();
  const open = (url: string) => {
    onClose();
    router.history.push(url);
  };
  const openEntry = (entry: Found) => {
    remember(entry);
    open(entry.url);
  };
  const isSearch = words.length >= SEARCH_LIMITS.leastLength;
  const isSearching = isSearch && (searched !== words || found.isFetching);
  const entries = isSearch ? (found.data ?? []) : recent;
  const isMatch = ({ label }: { label: string }) => words === '' || defaultFilter(label, words) > 0;
  const pages = DESTINATIONS.filter(canOpen).filter(isMatch);
  const actions = ACTIONS.filter(canOpen).filter(isMatch);
  const [first] = [
    ...entries.map((entry) => ({ value: keyOf(entry), run: () => openEntry(entry) })),
    ...pages.map(({ to, label }) => ({ value: label, run: () => open(to) })),
    ...actions.map(({ url, label }) => ({ value: label, run: () => open(url) })),
  ];

  // Each new list begins with its first item. The one that was selected before may not be in it.
  const list = `${words} ${found.dataUpdatedAt}`;
  const [selected, setSelected] = useState({ list: '', value: '' });
  // Enter means the result of what was typed, also while that is being searched.
  const [hasEntered, setEntered] = useState(false);
  useEffect(() => {
    if (!hasEntered || isSearching) return;
    setEntered(false);
    first?.run();
  });
  return (
    <Dialog onClose={onClose} title="Search" size="wide">
      <Command
        label="Search"
        loop
        shouldFilter={false}
        value={selected.list === list ? selected.value : (first?.value ?? '')}
        onValueChange={(value) => setSelected({ list, value })}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || !isSearching) return;
          event.preventDefault();
          setEntered(true);
        }}
        className="flex flex-col gap-3"
      >
        <Command.Input
          value={text}
          onValueChange={(typed) => {
            setText(typed);
            setEntered(false);
          }}
          placeholder="Recipient, subject, ID, tag, error, page …"
          maxLength={SEARCH_LIMITS.length}
          className={`${controlClasses} h-control`}
        />
        <p role="status" className={found.error ? 'text-meta text-danger' : 'sr-only'}>
          {isSearch && (found.error?.message ?? (isSearching ? 'Searching' : `${entries.length} found`))}
        </p>
        <Command.List className="h-80 overflow-y-auto">
          {entries.length > 0 && (
            <Command.Group heading={heading(isSearch ? 'Found' : 'Recent')}>
              {entries.map((entry) => (
                <Item
                  key={keyOf(entry)}
                  value={keyOf(entry)}
                  icon={isSearch ? iconOf(entry) : History}
                  label={entry.title}
                  note={noteOf(entry)}
                  at={entry.at}
                  onSelect={() => openEntry(entry)}
                />
              ))}
            </Command.Group>
          )}
          {pages.length > 0 && (
            <Command.Group heading={heading('Pages')}>
              {pages.map(({ to, label, icon }) => (
                <Item key={to} value={label} icon={icon} label={label} onSelect={() => open(to)} />
              ))}
            </Command.Group>
          )}
          {actions.length > 0 && (
            <Command.Group heading={heading('Actions')}>
              {actions.map(({ label, url }) => (
                <Item key={url} value={label} icon={Plus} label={label} onSelect={() => open(url)} />
              ))}
            </Command.Group>
          )}
          {!isSearching && (
            <Command.Empty className="p-4 text-body text-muted">
              Nothing has words that begin with this. Redacted and deleted data is not found.
            </Command.Empty>
          )}
        </Command.List>
      </Command>
    </Dialog>
  );
}

function heading(text: string) {
  return <span className="block px-2 py-1.5 text-meta text-muted">{text}</span>;
}

interface ItemProps {
  value: string;
  icon: LucideIcon;
  label: string;
  note?: string;
  at?: string;
  onSelect: () => void;
}

function Item({ value, icon: Icon, label, note, at, onSelect }: ItemProps) {
  const now = useNow();
  return (
    <Command.Item
      value={value}
      onSelect={onSelect}
      className="flex cursor-pointer items-center gap-2.5 rounded-control px-2 py-2 text-body data-[selected=true]:bg-accent-soft pointer-coarse:py-3"
    >
      <Icon size={16} className="shrink-0 text-muted" />
      <span className="min-w-0 flex-1 truncate">{label}</span>
      {note && <span className="shrink-0 text-meta text-muted">{note}</span>}
      {at && (
        <time dateTime={at} className="shrink-0 text-meta text-muted max-sm:hidden">
          {formatRelative(at, now)}
        </time>
      )}
    </Command.Item>
  );
}

/** What the palette knows an entry by. */
function keyOf({ kind, id }: Found): string {
  return `${kind} ${id}`;
}

function noteOf({ kind, id, status }: Found): string {
  const what = kind === 'job' ? `job ${truncateMiddle(id)}` : kind;
  return status === undefined ? what : `${what} · ${status}`;
}

function iconOf({ url }: Found): LucideIcon {
  const to = url.startsWith('/job/') ? '/' : url.split('?')[0];
  return DESTINATIONS.find((one) => one.to === to)?.icon ?? FileText;
}

/** What was found and opened before, the latest first. It is forgotten with the page, because it may have addresses. */
function useRecent(orgId: string) {
  const { queries } = useServices();
  const key = ['recent', orgId];
  const recent = queries.getQueryData<Found[]>(key) ?? [];
  const remember = (entry: Found) => {
    queries.setQueryDefaults(key, { gcTime: Number.POSITIVE_INFINITY });
    queries.setQueryData(key, [entry, ...recent.filter(({ url }) => url !== entry.url)].slice(0, MAX_RECENT));
  };
  return { recent, remember };
}
