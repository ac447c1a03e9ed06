import { useRef } from 'react';
import { focusHeading } from './focus-heading.js';

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
