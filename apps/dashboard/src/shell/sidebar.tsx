import { Link, useLocation } from '@tanstack/react-router';
import { Search } from 'lucide-react';
import { useCan } from '../session/use-session.js';
import { cx, KeyHint } from '../ui/index.js';
import { FirstSteps } from './first-steps.js';
import { Logo } from './logo.js';
import { type Destination, NAVIGATION } from './navigation.js';
import { OrgSwitcher } from './org-switcher.js';
import { UserMenu } from './user-menu.js';

/** The navigation, the organization and the user menu. */
export function Sidebar({ onNavigate, onSearch }: { onNavigate?: () => void; onSearch: () => void }) {
  const can = useCan();
  const groups = NAVIGATION.map((group) => ({
    ...group,
    destinations: group.destinations.filter(({ right }) => !right || can(right)),
  }));
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
        <Search aria-hidden="true" size={16} /> Search
        <span aria-hidden="true" className="ml-auto max-md:hidden">
          <KeyHint keys="/" />
        </span>
      </button>
      <nav aria-label="Pages" className="flex-1 overflow-y-auto px-3 py-2">
        {groups.map(({ label, destinations }) => (
          <div key={label ?? 'first'} className="mb-5">
            {label && (
              <p id={`nav-${label}`} className="px-2 pb-1.5 text-meta font-medium text-muted">
                {label}
              </p>
            )}
            <ul aria-labelledby={label ? `nav-${label}` : undefined} className="flex flex-col gap-0.5">
              {destinations.map((destination) => (
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

function NavLink({
  to,
  below,
  label,
  icon: Icon,
  shortcut,
  onNavigate,
}: Destination & { onNavigate: (() => void) | undefined }) {
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
      <Icon aria-hidden="true" size={16} className="shrink-0 group-[[aria-current]]:text-accent" />
      <span className="flex-1 truncate">{label}</span>
      <span aria-hidden="true" className="hidden opacity-0 transition-opacity group-hover:opacity-100 md:block">
        <KeyHint keys={`g ${shortcut}`} />
      </span>
    </Link>
  );
}
