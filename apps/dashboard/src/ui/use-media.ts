import { useCallback, useSyncExternalStore } from 'react';

/** The width below which a table becomes a list of cards. */
export const NARROW = '(width < 40rem)';

/** Returns whether a media query matches, and updates when this changes. */
export function useMedia(query: string): boolean {
  const subscribe = useCallback(
    (listener: () => void) => {
      const list = window.matchMedia(query);
      list.addEventListener('change', listener);
      return () => list.removeEventListener('change', listener);
    },
    [query],
  );
  return useSyncExternalStore(subscribe, () => window.matchMedia(query).matches);
}
