import type { KeyboardEvent } from 'react';

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
