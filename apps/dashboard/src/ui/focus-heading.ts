/**
 * Moves the focus to the heading of the page, so that a screen reader reads where the user is. Called on a new page,
 * and when the focused element has disappeared.
 */
export function focusHeading(): void {
  document.querySelector<HTMLElement>('main h1')?.focus();
}
