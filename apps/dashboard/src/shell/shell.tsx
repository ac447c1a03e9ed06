import { Outlet, useMatches, useRouter } from '@tanstack/react-router';
import { useEffect } from 'react';
import { useCan, useMe } from '../session/use-session.js';
import { focusHeading } from '../ui/index.js';
import { Forbidden } from './forbidden.js';
import { GlobalShortcuts } from './global-shortcuts.js';
import { Sidebar } from './sidebar.js';
import { TopBar } from './top-bar.js';

/** The frame around all pages except the sign-in pages. Switching the organization mounts the page again. */
export function Shell() {
  useFocusOnNavigation();
  const can = useCan();
  const { org } = useMe();
  const { right, name } = useMatches().at(-1)?.staticData ?? {};
  return (
    <div className="min-h-dvh md:flex">
      <a
        href="#main"
        className="sr-only z-50 rounded-control bg-accent px-3 py-2 font-medium text-on-accent focus:not-sr-only focus:fixed focus:top-2 focus:left-2"
      >
        Skip to the content
      </a>
      <aside className="sticky top-0 hidden h-dvh w-56 shrink-0 border-r border-line bg-surface md:block">
        <Sidebar />
      </aside>
      <TopBar />
      <main id="main" tabIndex={-1} className="min-w-0 flex-1 outline-none">
        {right && !can(right) ? <Forbidden right={right} name={name ?? 'this page'} /> : <Outlet key={org.id} />}
      </main>
      <GlobalShortcuts />
    </div>
  );
}

/** Moves the focus to the heading after a navigation. On the first page, the browser does this. */
function useFocusOnNavigation(): void {
  const router = useRouter();
  useEffect(
    () =>
      router.subscribe('onRendered', ({ fromLocation, pathChanged }) => {
        if (fromLocation && pathChanged) focusHeading();
      }),
    [router],
  );
}
