/** A shortcut of one key or of two keys in sequence: `n`, `?`, `g j`. */
export interface Shortcut {
  keys: string;
  /** The description in the help dialog. */
  label: string;
  /** The heading in the help dialog: the name of the page. Shortcuts that work everywhere have none. */
  group?: string;
  run(): void;
}

export interface Shortcuts {
  /** Adds a shortcut and returns a function that removes it. The last one added for the same keys wins. */
  add(shortcut: Shortcut): () => void;
  /** The active shortcuts, newest last, without overridden ones. */
  list(): readonly Shortcut[];
  isOn(): boolean;
  /** Turns the shortcuts on or off, for this browser. */
  turn(on: boolean): void;
  subscribe(listener: () => void): () => void;
  /** The listener for `keydown`. */
  handle(event: KeyboardEvent): void;
}

const SETTING = 'jobline.shortcuts';
/** The maximum time between the two keys of a sequence. */
const MAX_SEQUENCE_MS = 1_200;
const TYPING =
  'input, textarea, select, [contenteditable=""], [contenteditable="true"], [role="combobox"], [role="listbox"], [role="menu"]';
const DIALOG = '[role="dialog"], [role="alertdialog"]';

/** Single-key shortcuts do not work while the user types or a dialog is open. They can be turned off (WCAG 2.1.4). */
export function createShortcuts(storage: Storage = localStorage): Shortcuts {
  const added: Shortcut[] = [];
  const listeners = new Set<() => void>();
  let listed: readonly Shortcut[] = [];
  let first: { key: string; at: number } | null = null;

  function changed(): void {
    listed = added.filter(({ keys }, i) => !added.slice(i + 1).some((later) => later.keys === keys));
    for (const listener of listeners) listener();
  }

  return {
    add(shortcut) {
      added.push(shortcut);
      changed();
      return () => {
        added.splice(added.indexOf(shortcut), 1);
        changed();
      };
    },
    list: () => listed,
    isOn: () => storage.getItem(SETTING) !== 'off',
    turn(on) {
      if (on) storage.removeItem(SETTING);
      else storage.setItem(SETTING, 'off');
      changed();
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    handle(event) {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
      if (storage.getItem(SETTING) === 'off' || isBusy(event.target)) return;
      const sequence = first && event.timeStamp - first.at < MAX_SEQUENCE_MS ? `${first.key} ${event.key}` : null;
      first = null;
      const found = listed.find(({ keys }) => keys === sequence) ?? listed.find(({ keys }) => keys === event.key);
      if (found) {
        event.preventDefault();
        found.run();
      } else if (listed.some(({ keys }) => keys.startsWith(`${event.key} `))) {
        first = { key: event.key, at: event.timeStamp };
      }
    },
  };
}

function isBusy(target: EventTarget | null): boolean {
  if (target instanceof Element && target.closest(TYPING)) return true;
  return document.querySelector(DIALOG) !== null;
}
