import type { RefObject } from 'react';
import { useShortcut } from '../../keyboard/use-shortcut.js';
import type { LogHandle } from '../../product/log/log.js';
import type { JobTab } from './search.js';

export interface JobKeys {
  onStep: (step: -1 | 1) => void;
  onTab: (tab: JobTab) => void;
  log: RefObject<LogHandle | null>;
}

/** The keyboard shortcuts of the page, except Retry and Cancel, which depend on the job's status. */
export function useJobKeys({ onStep, onTab, log }: JobKeys): void {
  const group = 'Job';
  useShortcut({ keys: 'f', label: 'Follow the log', group, run: () => log.current?.toggleFollow() });
  useShortcut({ keys: 'w', label: 'Wrap lines', group, run: () => log.current?.toggleWrap() });
  useShortcut({ keys: '[', label: 'Previous attempt', group, run: () => onStep(-1) });
  useShortcut({ keys: ']', label: 'Next attempt', group, run: () => onStep(1) });
  useShortcut({ keys: '1', label: 'Log', group, run: () => onTab('log') });
  useShortcut({ keys: '2', label: 'Payload', group, run: () => onTab('payload') });
  useShortcut({ keys: '3', label: 'Result', group, run: () => onTab('result') });
  useShortcut({ keys: '4', label: 'Files', group, run: () => onTab('files') });
}
