import { type ReactNode, useEffect, useRef } from 'react';

/**
 * Around what goes away once it is used, such as a button that takes what is new. If it had the focus, the focus would
 * fall out of the page and the keyboard begin at the top: `to` puts it where one goes on.
 */
export function RestoreFocus({ to, children }: { to: () => void; children: ReactNode }) {
  const focused = useRef<Element | null>(null);
  useEffect(() => {
    if (!focused.current || focused.current.isConnected) return;
    focused.current = null;
    if (document.activeElement === document.body) to();
  });
  return (
    // It only listens; nothing here is operated.
    // biome-ignore lint/a11y/noStaticElementInteractions: see above
    <div
      className="contents"
      onFocus={({ currentTarget, target }) => {
        focused.current = currentTarget.contains(target) ? target : null;
      }}
      onBlur={() => {
        focused.current = null; // by the reader: React tells of no blur that it causes itself
      }}
    >
      {children}
    </div>
  );
}
