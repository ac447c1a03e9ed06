import { type ReactNode, useEffect, useRef } from 'react';

/**
 * Wraps an element that disappears when it is used, such as a button that loads new rows. If the element had the focus,
 * the browser would move the focus to the start of the page. `to` moves it to where the user continues.
 */
export function RestoreFocus({ to, children }: { to: () => void; children: ReactNode }) {
  const focused = useRef<Element | null>(null);
  useEffect(() => {
    if (!focused.current || focused.current.isConnected) return;
    focused.current = null;
    if (document.activeElement === document.body) to();
  });
  return (
    // The element only listens to events of its children.
    // biome-ignore lint/a11y/noStaticElementInteractions: see above
    <div
      className="contents"
      onFocus={({ currentTarget, target }) => {
        focused.current = currentTarget.contains(target) ? target : null;
      }}
      onBlur={() => {
        focused.current = null; // the user moved the focus: React fires no blur event when it removes an element
      }}
    >
      {children}
    </div>
  );
}
