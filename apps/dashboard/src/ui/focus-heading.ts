/** Where the focus goes on a new page, and where what had it is gone: what is read next says where one is. */
export function focusHeading(): void {
  document.querySelector<HTMLElement>('main h1')?.focus();
}
