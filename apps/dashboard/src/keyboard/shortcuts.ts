import { createStore } from '../store.js';

/** A shortcut of one key or of two keys in sequence: `n`, `?`, `g j`. */
export interface Shortcut {
  keys: string;
  /** The description in the help dialog. */
  label: string;
  /** The heading in the help dialog: the name of the page. Shortcuts that work everywhere have none. */
  group?: string;
  run(): void;
}

export type Shortcuts = ReturnType<typeof createShortcuts>;

const SETTING = 'jobline.shortcuts';
/** The maximum time between the two keys of a sequence. */
const MAX_SEQUENCE_MS = 1_200;
const TYPING =
  'input, textarea, select, [contenteditable=""], [contenteditable="true"], [role="combobox"], [role="listbox"], [role="menu"]';
const DIALOG = '[role="dialog"], [role="alertdialog"]';

/** Single-key shortcuts do not work while the user types or a dialog is open. They can be turned off (WCAG 2.1.4). */
export function createShortcuts(storage: Storage = localStorage) {
  const added: Shortcut[] = [];
  const listed = createStore<readonly Shortcut[]>([]);
  let first: { key: string; at: number } | null = null;

  const isOn = () => storage.getItem(SETTING) !== 'off';
  const changed = () =>
    listed.set(added.filter(({ keys }, i) => !added.slice(i + 1).some((later) => later.keys === keys)));

  return {
    /** Adds a shortcut and returns a function that removes it. The last one added for the same keys wins. */
    add(shortcut: Shortcut): () => void {
      added.push(shortcut);
      changed();
      return () => {
        added.splice(added.indexOf(shortcut), 1);
        changed();
      };
    },
    /** The active shortcuts, newest last, without overridden ones. */
    list: listed.get,
    isOn,
    /** Turns the shortcuts on or off, for this browser. */
    turn(on: boolean): void {
      if (on) storage.removeItem(SETTING);
      else storage.setItem(SETTING, 'off');
      changed();
    },
    subscribe: listed.subscribe,
    /** The listener for `keydown`. */
    handle(event: KeyboardEvent): void {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
      if (!isOn() || isBusy(event.target)) return;
      const sequence = first && event.timeStamp - first.at < MAX_SEQUENCE_MS ? `${first.key} ${event.key}` : null;
      first = null;
      const active = listed.get();
      const found = active.find(({ keys }) => keys === sequence) ?? active.find(({ keys }) => keys === event.key);
      if (found) {
        event.preventDefault();
        found.run();
      } else if (active.some(({ keys }) => keys.startsWith(`${event.key} `))) {
        first = { key: event.key, at: event.timeStamp };
      }
    },
  };
}

function isBusy(target: EventTarget | null): boolean {
  if (target instanceof Element && target.closest(TYPING)) return true;
  return document.querySelector(DIALOG) !== null;
}
