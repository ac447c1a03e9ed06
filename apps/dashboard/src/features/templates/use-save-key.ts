import { useEffect, useRef } from 'react';

/** Calls `save` on Ctrl+S or Cmd+S. If it is null, the browser handles the keys. */
export function useSaveKey(save: (() => void) | null): void {
  const latest = useRef(save);
  useEffect(() => {
    latest.current = save;
  });
  const isOn = save !== null;
  useEffect(() => {
    if (!isOn) return;
    const press = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 's' || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey)
        return;
      event.preventDefault();
      if (!event.repeat && document.querySelector('[role="dialog"], [role="alertdialog"]') === null) latest.current?.();
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, [isOn]);
}
