import { Outlet, useMatches, useNavigate, useRouter } from '@tanstack/react-router';
import { Menu as MenuIcon, Search } from 'lucide-react';
import { lazy, Suspense, useEffect, useState } from 'react';
import { useShortcut } from '../keyboard/use-shortcut.js';
import { useCan, useMe } from '../session/use-session.js';
import { Dialog, focusHeading, IconButton } from '../ui/index.js';
import { useLatest } from '../ui/use-latest.js';
import { Logo } from './logo.js';
import { DESTINATIONS, type Destination, useCanOpen } from './navigation.js';
import { Forbidden } from './page-frame.js';
import { Problems } from './problems.js';
import { ShortcutsDialog } from './shortcuts-dialog.js';
import { Sidebar } from './sidebar.js';

// Loaded when it is opened first.
const Palette = lazy(() => import('./palette.js'));

/** The frame around all pages except the sign-in pages. Switching the organization mounts the page again. */
export function Shell() {
  useFocusOnNavigation();
  const can = useCan();
  const [isSearching, setSearching] = useState(false);
  const search = () => setSearching(true);
  useSearchKeys(search);
  const { org } = useMe();
  const path = useMatches().at(-1)?.fullPath;
  const page = DESTINATIONS.find(({ to }) => to === path);
  return (
    <div className="min-h-dvh md:flex">
      <a
        href="#main"
        className="sr-only z-50 rounded-control bg-accent px-3 py-2 font-medium text-on-accent focus:not-sr-only focus:fixed focus:top-2 focus:left-2"
      >
        Skip to the content
      </a>
      <aside className="sticky top-0 hidden h-dvh w-56 shrink-0 border-r border-line bg-surface md:block">
        <Sidebar onSearch={search} />
      </aside>
      <TopBar onSearch={search} />
      <main id="main" tabIndex={-1} className="relative min-w-0 flex-1 outline-none">
        <Problems />
        {page?.right && !can(page.right) ? <Forbidden right={page.right} name={page.label} /> : <Outlet key={org.id} />}
      </main>
      <GlobalShortcuts />
      <Suspense>{isSearching && <Palette onClose={() => setSearching(false)} />}</Suspense>
    </div>
  );
}

/**
 * Moves the focus to the heading after a navigation, or to the link of the job that the user has left. On the first page, the browser
 * does this.
 */
function useFocusOnNavigation(): void {
  const router = useRouter();
  useEffect(
    () =>
      router.subscribe('onRendered', ({ fromLocation, pathChanged }) => {
        if (!fromLocation || !pathChanged) return;
        const left = fromLocation.pathname.startsWith('/job/') && linkTo(fromLocation.pathname);
        if (left) left.focus();
        else focusHeading();
      }),
    [router],
  );
}

function linkTo(path: string): HTMLAnchorElement | undefined {
  return [...document.querySelectorAll<HTMLAnchorElement>('main a[href]')].find(({ pathname }) => pathname === path);
}

/** The bar at the top of small screens, where the sidebar is a drawer. */
function TopBar({ onSearch }: { onSearch: () => void }) {
  const [isOpen, setOpen] = useState(false);
  const close = () => setOpen(false);
  return (
    <header className="sticky top-0 z-30 flex h-14 items-center justify-between border-b border-line bg-surface pr-2 pl-4 md:hidden">
      <Logo />
      <span className="flex">
        <IconButton label="Search" icon={<Search />} onClick={onSearch} />
        <IconButton label="Open the menu" icon={<MenuIcon />} aria-expanded={isOpen} onClick={() => setOpen(true)} />
      </span>
      <Dialog side="left" title="Menu" open={isOpen} onClose={close}>
        <div className="-mx-6 h-full">
          <Sidebar
            onNavigate={close}
            onSearch={() => {
              close();
              onSearch();
            }}
          />
        </div>
      </Dialog>
    </header>
  );
}

/** `/`, and Ctrl+K or Cmd+K, which also work while the user types. */
function useSearchKeys(run: () => void): void {
  const latest = useLatest(run);
  useShortcut({ keys: '/', label: 'Search (also Ctrl+K)', run });
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const isModified = (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey;
      if (event.key !== 'k' || !isModified || document.querySelector('[role=dialog], [role=alertdialog]')) return;
      event.preventDefault();
      latest.current();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, [latest]);
}

/** The keys that work on every page. */
function GlobalShortcuts() {
  const [isOpen, setOpen] = useState(false);
  const canOpen = useCanOpen();
  useShortcut({ keys: '?', label: 'Show the shortcuts', run: () => setOpen(true) });
  return (
    <>
      {DESTINATIONS.filter(canOpen).map((destination) => (
        <GoTo key={destination.to} {...destination} />
      ))}
      <ShortcutsDialog open={isOpen} onClose={() => setOpen(false)} />
    </>
  );
}

function GoTo({ to, label, shortcut }: Destination) {
  const navigate = useNavigate();
  useShortcut({ keys: `g ${shortcut}`, label: `Go to ${label}`, run: () => void navigate({ to }) });
  return null;
}
