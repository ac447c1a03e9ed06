import { useEffect, useState } from 'react';

/** Returns the value after it has not changed for `ms` milliseconds. Used to call the API while the user types. */
export function useDebounced<T>(value: T, ms: number): T {
  const [debounced, setDebounced] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setDebounced(value), ms);
    return () => clearTimeout(timer);
  }, [value, ms]);
  return debounced;
}
