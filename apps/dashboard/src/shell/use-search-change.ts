import { useNavigate } from '@tanstack/react-router';
import type { Change } from '../search-params.js';

/**
 * Returns a function that changes the given parameters of the page's address and keeps the others. Undefined removes a
 * parameter. The page does not scroll. With `replace`, the browser's Back skips the old address.
 */
export function useSearchChange<Search extends object>(options: { replace?: boolean } = {}) {
  const navigate = useNavigate();
  return (change: Change<Search>): void => {
    const changed: object = change;
    void navigate({ to: '.', search: (before) => ({ ...before, ...changed }), resetScroll: false, ...options });
  };
}
