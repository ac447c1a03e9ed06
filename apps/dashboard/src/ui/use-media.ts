import { useCallback, useSyncExternalStore } from 'react';

/** Where a table becomes a list of cards. */
export const NARROW = '(width < 40rem)';

/** Whether a media query holds, now and as it changes. */
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
