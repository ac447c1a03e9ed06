import { type ReactNode, useEffect, useRef } from 'react';

/**
 * Moves the focus to the heading of the page, so that a screen reader reads where the user is. Called on a new page,
 * and when the focused element has disappeared.
 */
export function focusHeading(): void {
  document.querySelector<HTMLElement>('main h1')?.focus();
}

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

const FIELD =
  'input:not(:disabled, [readonly], [type=hidden]), textarea:not(:disabled), [role=combobox]:not(:disabled)';

/**
 * Moves the focus to the first field of a dialog (or to the dialog), and returns it to the opener when the dialog
 * closes. Radix returns the focus only to its own Trigger, but these dialogs are opened by state. If the opener was a
 * menu item, the focus returns to the button of the menu. If the opener no longer exists, such as a removed row, it
 * goes to the heading.
 */
export function useFocusReturn({ into }: { into: 'first-field' | 'own-choice' }) {
  const opener = useRef<Element | null>(null);
  return {
    onOpenAutoFocus: (event: Event) => {
      opener.current = openerOf(document.activeElement);
      if (into === 'own-choice' || !(event.currentTarget instanceof HTMLElement)) return;
      // Radix would focus the close button, and its tooltip would cover the title.
      event.preventDefault();
      (event.currentTarget.querySelector<HTMLElement>(FIELD) ?? event.currentTarget).focus();
    },
    onCloseAutoFocus: (event: Event) => {
      event.preventDefault();
      if (opener.current instanceof HTMLElement && opener.current.isConnected) opener.current.focus();
      else if (document.activeElement === document.body) focusHeading();
    },
  };
}

function openerOf(element: Element | null): Element | null {
  const menuButton = element?.closest('[role=menu]')?.getAttribute('aria-labelledby');
  return menuButton ? document.getElementById(menuButton) : element;
}
