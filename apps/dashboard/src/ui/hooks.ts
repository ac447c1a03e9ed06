import { createContext, use, useCallback, useEffect, useState, useSyncExternalStore } from 'react';

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

/** A preference that is kept in localStorage, such as line wrapping. If storage is not available, it is not kept. */
export function useStored<Value extends string | boolean | readonly unknown[]>(
  key: string,
  initial: Value,
  isValue: (value: unknown) => value is Value,
): [Value, (value: Value) => void] {
  const place = `jobline.ui.${key}`;
  const [value, setValue] = useState(() => {
    try {
      const stored: unknown = JSON.parse(localStorage.getItem(place) ?? 'null');
      return isValue(stored) ? stored : initial;
    } catch {
      return initial; // storage is not available, or contains something else
    }
  });
  const store = (next: Value) => {
    setValue(next);
    try {
      localStorage.setItem(place, JSON.stringify(next));
    } catch {
      return; // storage is not available; losing a preference is acceptable
    }
  };
  return [value, store];
}

export const isBoolean = (value: unknown): value is boolean => typeof value === 'boolean';

/** Returns the value after it has not changed for `ms` milliseconds. Used to call the API while the user types. */
export function useDebounced<T>(value: T, ms: number): T {
  const [debounced, setDebounced] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setDebounced(value), ms);
    return () => clearTimeout(timer);
  }, [value, ms]);
  return debounced;
}

/**
 * Whether a component is inside a row of a list. There, times, ids and statuses are not tab stops, because a hundred
 * rows would add hundreds of them. The page of the row shows the same details with tab stops.
 */
export const RowContext = createContext(false);

export function useInRow(): boolean {
  return use(RowContext);
}
