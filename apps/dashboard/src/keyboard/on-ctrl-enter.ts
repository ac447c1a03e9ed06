import type { KeyboardEvent } from 'react';

/**
 * For a form that sends what cannot be taken back: Ctrl+Enter, or Cmd+Enter, sends it from every field, and Enter alone
 * from none, although browsers would do so in fields of one line.
 */
export function onCtrlEnter(run: () => void): (event: KeyboardEvent) => void {
  return (event) => {
    if (event.key !== 'Enter') return;
    const isMeant = event.ctrlKey || event.metaKey;
    if (isMeant || event.target instanceof HTMLInputElement) event.preventDefault();
    if (isMeant) run();
  };
}
