import type { RefObject } from 'react';
import { useShortcut } from './use-shortcut.js';

/** Registers `j` and `k`, which move the focus by one row. */
export function useRowShortcuts(table: RefObject<{ move: (by: 1 | -1) => void } | null>, group: string): void {
  useShortcut({ keys: 'j', label: 'Next row', group, run: () => table.current?.move(1) });
  useShortcut({ keys: 'k', label: 'Previous row', group, run: () => table.current?.move(-1) });
}
