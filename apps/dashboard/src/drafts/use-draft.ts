import { useCallback, useEffect, useRef, useState } from 'react';
import { useMe } from '../session/use-session.js';
import { DRAFT_PREFIX } from './draft-storage.js';

const SAVE_AFTER_MS = 500;

/** What somebody is typing, kept for this tab until it is sent or they sign out. */
export interface Draft<T> {
  value: T;
  /** Kept half a second after the last change. */
  set(value: T): void;
  /** Whether it differs from what the form began with. Leaving the page then asks. */
  isDirty: boolean;
  /** Once it is sent, or thrown away. */
  clear(): void;
  /** What is kept; also once the form is gone. Null: nothing. */
  kept(): T | null;
  /** Brings back what was thrown away: to the form, wherever it is mounted by then, else to the next one. */
  restore(value: T): void;
  /** Hears of that, until it calls what this gives. */
  onRestored(listener: (value: T) => void): () => void;
}

/** Its events are named by drafts' keys. */
const restored = new EventTarget();

/**
 * A draft of one form. Its key has the user and the organization, so nobody else who signs in here sees it. `form` names
 * the form and, where there are several, which: `email`, `template:0192…`.
 */
export function useDraft<T>(form: string, initial: T): Draft<T> {
  const key = useDraftKey(form);
  const [value, setValue] = useState<T>(() => read<T>(key) ?? initial);
  const [isDirty, setDirty] = useState(() => sessionStorage.getItem(key) !== null);
  const unsaved = useRef<{ key: string; value: T } | null>(null);

  const save = useCallback(() => {
    if (unsaved.current) sessionStorage.setItem(unsaved.current.key, JSON.stringify(unsaved.current.value));
    unsaved.current = null;
  }, []);

  // biome-ignore lint/correctness/useExhaustiveDependencies: each change of the value starts the wait anew
  useEffect(() => {
    const timer = setTimeout(save, SAVE_AFTER_MS);
    return () => clearTimeout(timer);
  }, [value, save]);
  useEffect(() => {
    addEventListener('pagehide', save);
    return () => {
      removeEventListener('pagehide', save);
      save(); // the page is left before the wait is over
    };
  }, [save]);
  useWarning(isDirty);

  return {
    value,
    isDirty,
    set(next) {
      unsaved.current = { key, value: next };
      setDirty(true);
      setValue(next);
    },
    clear() {
      unsaved.current = null;
      sessionStorage.removeItem(key);
      setDirty(false);
      setValue(initial);
    },
    kept: () => read<T>(key),
    restore(thrown) {
      sessionStorage.setItem(key, JSON.stringify(thrown));
      restored.dispatchEvent(new Event(key));
    },
    onRestored(listener) {
      const hear = () => {
        const thrown = read<T>(key);
        if (thrown !== null) listener(thrown);
      };
      restored.addEventListener(key, hear);
      return () => restored.removeEventListener(key, hear);
    },
  };
}

/** Where something of a form is kept in this tab: by user and organization, and until they sign out. */
export function useDraftKey(form: string): string {
  const { user, org } = useMe();
  return `${DRAFT_PREFIX}${user.id}.${org.id}.${form}`;
}

/** The browser asks before the tab is closed or loaded anew. */
export function useWarning(isDirty: boolean): void {
  useEffect(() => {
    if (!isDirty) return;
    const warn = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener('beforeunload', warn);
    return () => removeEventListener('beforeunload', warn);
  }, [isDirty]);
}

function read<T>(key: string): T | null {
  const text = sessionStorage.getItem(key);
  return text === null ? null : (JSON.parse(text) as T); // written by this hook for the same form
}
