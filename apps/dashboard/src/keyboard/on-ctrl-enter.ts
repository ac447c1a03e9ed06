import type { KeyboardEvent } from 'react';

/** For a form: Ctrl+Enter, or Cmd+Enter, sends it from every field. */
export function onCtrlEnter(run: () => void): (event: KeyboardEvent) => void {
  return (event) => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    run();
  };
}
