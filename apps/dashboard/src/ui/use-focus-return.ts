import { useRef } from 'react';
import { focusHeading } from './focus-heading.js';

const FIELD =
  'input:not(:disabled, [readonly], [type=hidden]), textarea:not(:disabled), [role=combobox]:not(:disabled)';

/**
 * Puts the focus on a window's first field, else on the window, and brings it back to what opened it. Radix brings it
 * back only to a Trigger of its own, while ours are opened by state. An opener in a menu is gone by then: the menu's
 * button stands in for it. One that the window has done away with, such as a row's, is stood in for by the heading.
 */
export function useFocusReturn({ into }: { into: 'first-field' | 'own-choice' }) {
  const opener = useRef<Element | null>(null);
  return {
    onOpenAutoFocus: (event: Event) => {
      opener.current = standing(document.activeElement);
      if (into === 'own-choice' || !(event.currentTarget instanceof HTMLElement)) return;
      // By itself Radix takes the close button, whose tooltip then covers the title.
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

function standing(element: Element | null): Element | null {
  const menuButton = element?.closest('[role=menu]')?.getAttribute('aria-labelledby');
  return menuButton ? document.getElementById(menuButton) : element;
}
