import {
  BookOpen,
  ChevronsUpDown,
  CircleUserRound,
  Keyboard,
  LockKeyhole,
  LogOut,
  Monitor,
  Moon,
  Sun,
} from 'lucide-react';
import { useState } from 'react';
import { useServices } from '../services.js';
import { useMe } from '../session/use-session.js';
import { Menu } from '../ui/index.js';
import { PasswordDialog } from './new-password.js';
import { ShortcutsDialog } from './shortcuts-dialog.js';

const THEMES: readonly { value: Theme; label: string; icon: typeof Sun }[] = [
  { value: 'system', label: 'Same as system', icon: Monitor },
  { value: 'light', label: 'Light', icon: Sun },
  { value: 'dark', label: 'Dark', icon: Moon },
];

export function UserMenu() {
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
            <CircleUserRound aria-hidden="true" size={20} strokeWidth={1.6} className="shrink-0" />
            <span className="min-w-0 flex-1 truncate text-left">{user.email}</span>
            <ChevronsUpDown aria-hidden="true" size={14} className="shrink-0" />
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
const KEY = 'jobline.theme';

type Theme = 'system' | 'light' | 'dark';

function chosenTheme(): Theme {
  const chosen = localStorage.getItem(KEY);
  return chosen === 'light' || chosen === 'dark' ? chosen : 'system';
}

function chooseTheme(theme: Theme): void {
  if (theme === 'system') localStorage.removeItem(KEY);
  else localStorage.setItem(KEY, theme);
  dispatchEvent(new Event('jobline:theme'));
}
