import { Outlet } from '@tanstack/react-router';
import { Sidebar } from './sidebar.js';

/** Around every page but those of signing in. */
export function Shell() {
  return (
    <div className="flex min-h-dvh">
      <Sidebar />
      <main id="main" className="min-w-0 flex-1">
        <Outlet />
      </main>
    </div>
  );
}
