import { type KeyboardEvent, type RefObject, useEffect } from 'react';
import { useServices } from '../services.js';
import { useLatest } from '../ui/use-latest.js';
import type { Shortcut } from './shortcuts.js';

/** Registers a shortcut while the component is mounted. On every page, `n` is the primary action and `/` the filter. */
export function useShortcut({ keys, label, group, run }: Shortcut, { enabled = true } = {}): void {
  const { shortcuts } = useServices();
  const latest = useLatest(run);
  useEffect(() => {
    if (!enabled) return;
    return shortcuts.add({ keys, label, ...(group !== undefined && { group }), run: () => latest.current() });
  }, [shortcuts, keys, label, group, enabled, latest]);
}

/** Registers `j` and `k`, which move the focus by one row. Without a group, nothing is registered. `row`: what a row is. */
export function useRowShortcuts(
  table: RefObject<{ move: (by: 1 | -1) => void } | null>,
  group = '',
  row = 'row',
): void {
  const options = { enabled: group !== '' };
  useShortcut({ keys: 'j', label: `Next ${row}`, group, run: () => table.current?.move(1) }, options);
  useShortcut({ keys: 'k', label: `Previous ${row}`, group, run: () => table.current?.move(-1) }, options);
}

/**
 * For a form whose action cannot be undone: Ctrl+Enter or Cmd+Enter submits it from every field. Enter alone does not
 * submit it, although browsers would do so in single-line fields.
 */
export function onCtrlEnter(run: () => void): (event: KeyboardEvent) => void {
  return (event) => {
    if (event.key !== 'Enter') return;
    const hasModifier = event.ctrlKey || event.metaKey;
    if (hasModifier || event.target instanceof HTMLInputElement) event.preventDefault();
    if (hasModifier) run();
  };
}
