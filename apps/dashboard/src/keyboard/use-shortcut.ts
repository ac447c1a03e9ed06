import { useEffect, useRef } from 'react';
import { useServices } from '../services.js';
import type { Shortcut } from './shortcuts.js';

/** Registers a shortcut while the component is mounted. On every page, `n` is the primary action and `/` the filter. */
export function useShortcut({ keys, label, group, run }: Shortcut, { enabled = true } = {}): void {
  const { shortcuts } = useServices();
  const latest = useRef(run);
  useEffect(() => {
    latest.current = run;
  });
  useEffect(() => {
    if (!enabled) return;
    return shortcuts.add({ keys, label, ...(group !== undefined && { group }), run: () => latest.current() });
  }, [shortcuts, keys, label, group, enabled]);
}
