/** A key, or two one after the other: `n`, `?`, `g j`. */
export interface Shortcut {
  keys: string;
  /** What it does, as the help says it. */
  label: string;
  /** Under which heading the help lists it: the page's name, or none for those that are everywhere. */
  group?: string;
  run(): void;
}

export interface Shortcuts {
  /** Gives what takes it away again. The last one added for the same keys wins. */
  add(shortcut: Shortcut): () => void;
  /** Newest last; those that another hides are left out. */
  list(): readonly Shortcut[];
  isOn(): boolean;
  /** Kept for this browser. */
  turn(on: boolean): void;
  subscribe(listener: () => void): () => void;
  /** For `keydown`. */
  handle(event: KeyboardEvent): void;
}

const SETTING = 'jobline.shortcuts';
/** Between the two keys of a pair. */
const PAIR_WITHIN_MS = 1_200;
const TYPING =
  'input, textarea, select, [contenteditable=""], [contenteditable="true"], [role="combobox"], [role="listbox"], [role="menu"]';
const DIALOG = '[role="dialog"], [role="alertdialog"]';

/** Single keys work only while nobody types and no dialog is open, and can be turned off (WCAG 2.1.4). */
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
      const pair = first && event.timeStamp - first.at < PAIR_WITHIN_MS ? `${first.key} ${event.key}` : null;
      first = null;
      const found = listed.find(({ keys }) => keys === pair) ?? listed.find(({ keys }) => keys === event.key);
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
