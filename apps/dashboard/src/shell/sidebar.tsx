import { Link } from '@tanstack/react-router';
import { useCan } from '../session/use-session.js';
import { NAVIGATION } from './navigation.js';

export function Sidebar() {
  const can = useCan();
  return (
    <nav aria-label="Main" className="w-56">
      {NAVIGATION.flatMap(({ destinations }) => destinations)
        .filter(({ right }) => !right || can(right))
        .map(({ to, label }) => (
          <Link key={to} to={to}>
            {label}
          </Link>
        ))}
    </nav>
  );
}
