import { useMutation } from '@tanstack/react-query';
import { Link, useLocation, useRouter } from '@tanstack/react-router';
import {
  BookOpen,
  ChevronsUpDown,
  CircleUserRound,
  Keyboard,
  LockKeyhole,
  LogOut,
  Monitor,
  Moon,
  Search,
  Sun,
} from 'lucide-react';
import { useState } from 'react';
import { createApi } from '../api/api-client.js';
import { useServices } from '../services.js';
import { ME_KEY, useMe } from '../session/use-session.js';
import { cx, KeyHint, Menu, toast } from '../ui/index.js';
import { FirstSteps } from './first-steps.js';
import { Logo } from './logo.js';
import { type Destination, NAVIGATION, useCanOpen } from './navigation.js';
import { PasswordDialog } from './new-password.js';
import { ShortcutsDialog } from './shortcuts-dialog.js';

/** The navigation, the organization and the user menu. */
export function Sidebar({ onNavigate, onSearch }: { onNavigate?: () => void; onSearch: () => void }) {
  const canOpen = useCanOpen();
  return (
    <div className="flex h-full flex-col">
      <Link
        to="/"
        onClick={onNavigate}
        aria-label="Jobline, home"
        className="focus-inset flex h-16 items-center px-5 max-md:hidden"
      >
        <Logo />
      </Link>
      <button
        type="button"
        onClick={onSearch}
        className="mx-3 flex h-9 items-center gap-2.5 rounded-control border border-line px-2 text-muted hover:bg-hover hover:text-text max-md:h-11"
      >
        <Search size={16} /> Search
        <span aria-hidden="true" className="ml-auto max-md:hidden">
          <KeyHint keys="/" />
        </span>
      </button>
      <nav aria-label="Pages" className="flex-1 overflow-y-auto px-3 py-2">
        {NAVIGATION.map(({ label, destinations }) => (
          <div key={label ?? 'first'} className="mb-5">
            {label && (
              <p id={`nav-${label}`} className="px-2 pb-1.5 text-meta font-medium text-muted">
                {label}
              </p>
            )}
            <ul aria-labelledby={label ? `nav-${label}` : undefined} className="flex flex-col gap-0.5">
              {destinations.filter(canOpen).map((destination) => (
                <li key={destination.to}>
                  <NavLink {...destination} onNavigate={onNavigate} />
                </li>
              ))}
            </ul>
          </div>
        ))}
      </nav>
      <div className="flex flex-col gap-1 border-t border-line p-3">
        <FirstSteps onNavigate={onNavigate} />
        <OrgSwitcher onNavigate={onNavigate} />
        <UserMenu />
      </div>
    </div>
  );
}

type NavLinkProps = Destination & { onNavigate: (() => void) | undefined };

function NavLink({ to, below, label, icon: Icon, shortcut, onNavigate }: NavLinkProps) {
  const isBelow = useLocation({ select: ({ pathname }) => below !== undefined && pathname.startsWith(below) });
  return (
    <Link
      to={to}
      onClick={onNavigate}
      aria-current={isBelow || undefined}
      activeOptions={{ exact: true, includeSearch: false }}
      className={cx(
        'group flex h-9 items-center gap-2.5 rounded-control px-2 text-muted transition-colors hover:bg-hover hover:text-text max-md:h-11',
        '[&[aria-current]]:bg-accent-soft [&[aria-current]]:font-medium [&[aria-current]]:text-text',
      )}
    >
      <Icon size={16} className="shrink-0 group-[[aria-current]]:text-accent" />
      <span className="flex-1 truncate">{label}</span>
      <span aria-hidden="true" className="hidden opacity-0 transition-opacity group-hover:opacity-100 md:block">
        <KeyHint keys={`g ${shortcut}`} />
      </span>
    </Link>
  );
}

/** Shows and switches the organization of this tab. Other tabs keep their organization. */
function OrgSwitcher({ onNavigate }: { onNavigate?: (() => void) | undefined }) {
  const { org, orgs } = useMe();
  const { api, session, queries } = useServices();
  const router = useRouter();
  const change = useMutation({
    async mutationFn(orgId: string) {
      const { token } = await api.call('switchOrg', { body: { org_id: orgId } });
      const me = await createApi({ ...session, token: () => token }).auth.me();
      // The page is left before the session changes. Otherwise its drafts would be stored under the other organization.
      // No confirmation is needed, because the drafts are kept under this organization.
      await router.navigate({ to: '/', ignoreBlocker: true });
      session.move(token);
      queries.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== ME_KEY[0] });
      queries.setQueryData(ME_KEY, me);
      toast.clear();
      onNavigate?.();
    },
    onError: (error) => toast.error('The organization was not switched', { detail: error.message }),
  });

  const label = (
    <>
      {/* CSS shows the initial, so it is not part of the button's visible text. Otherwise speech control would require
          an accessible name that begins with the initial. */}
      <span
        aria-hidden="true"
        data-initial={[...org.name][0]?.toUpperCase()}
        className="grid size-5 shrink-0 place-items-center rounded-[5px] bg-accent text-meta font-semibold text-on-accent before:content-[attr(data-initial)]"
      />
      <span className="min-w-0 flex-1 truncate text-left font-medium">{org.name}</span>
    </>
  );
  if (orgs.length < 2) return <div className="flex h-9 items-center gap-2.5 px-2">{label}</div>;
  return (
    <Menu
      side="top"
      align="start"
      head="Your organizations"
      trigger={
        <button
          type="button"
          aria-label={`Organization: ${org.name}. Switch`}
          className="flex h-9 items-center gap-2.5 rounded-control px-2 transition-colors hover:bg-hover data-[state=open]:bg-hover max-md:h-11"
        >
          {label}
          <ChevronsUpDown size={14} className="shrink-0 text-muted" />
        </button>
      }
      groups={[
        orgs.map(({ id, name, role }) => ({
          label: name,
          hint: role,
          checked: id === org.id,
          onSelect: () => id !== org.id && change.mutate(id),
        })),
      ]}
    />
  );
}

const THEMES: readonly { value: Theme; label: string; icon: typeof Sun }[] = [
  { value: 'system', label: 'Same as system', icon: Monitor },
  { value: 'light', label: 'Light', icon: Sun },
  { value: 'dark', label: 'Dark', icon: Moon },
];

function UserMenu() {
  const { user } = useMe();
  const { session } = useServices();
  const [open, setOpen] = useState<'password' | 'shortcuts' | null>(null);
  const [theme, setTheme] = useState(chosenTheme);
  const close = () => setOpen(null);
  return (
    <>
      <Menu
        side="top"
        align="start"
        head={
          <span className="block truncate">
            {user.email} · {user.role}
          </span>
        }
        trigger={
          <button
            type="button"
            aria-label={`Account: ${user.email}`}
            className="flex h-9 items-center gap-2.5 rounded-control px-2 text-muted transition-colors hover:bg-hover hover:text-text data-[state=open]:bg-hover max-md:h-11"
          >
            <CircleUserRound size={20} strokeWidth={1.6} className="shrink-0" />
            <span className="min-w-0 flex-1 truncate text-left">{user.email}</span>
            <ChevronsUpDown size={14} className="shrink-0" />
          </button>
        }
        groups={[
          THEMES.map(({ value, label, icon: Icon }) => ({
            label,
            icon: <Icon />,
            checked: theme === value,
            onSelect() {
              chooseTheme(value);
              setTheme(value);
            },
          })),
          [
            { label: 'Change password', icon: <LockKeyhole />, onSelect: () => setOpen('password') },
            {
              label: 'Documentation',
              icon: <BookOpen />,
              onSelect: () => void window.open('/help', '_blank', 'noopener'),
            },
            { label: 'Keyboard shortcuts', icon: <Keyboard />, keys: '?', onSelect: () => setOpen('shortcuts') },
          ],
          [{ label: 'Sign out', icon: <LogOut />, onSelect: session.signOut }],
        ]}
      />
      {open === 'password' && <PasswordDialog onClose={close} />}
      <ShortcutsDialog open={open === 'shortcuts'} onClose={close} />
    </>
  );
}

/** The localStorage key that public/theme.js reads before the first paint. */
const THEME_KEY = 'jobline.theme';

type Theme = 'system' | 'light' | 'dark';

function chosenTheme(): Theme {
  const chosen = localStorage.getItem(THEME_KEY);
  return chosen === 'light' || chosen === 'dark' ? chosen : 'system';
}

function chooseTheme(theme: Theme): void {
  if (theme === 'system') localStorage.removeItem(THEME_KEY);
  else localStorage.setItem(THEME_KEY, theme);
  dispatchEvent(new Event('jobline:theme'));
}
