import { useRef } from 'react';

/**
 * Brings the focus back to what opened a window. Radix does so only for a Trigger of its own, while ours are opened
 * by state. An opener in a menu is gone by then: the menu's button stands in for it.
 */
export function useFocusReturn() {
  const opener = useRef<Element | null>(null);
  return {
    onOpenAutoFocus: () => {
      opener.current = standing(document.activeElement);
    },
    onCloseAutoFocus: (event: Event) => {
      event.preventDefault();
      if (opener.current instanceof HTMLElement) opener.current.focus();
    },
  };
}

function standing(element: Element | null): Element | null {
  const menuButton = element?.closest('[role=menu]')?.getAttribute('aria-labelledby');
  return menuButton ? document.getElementById(menuButton) : element;
}
