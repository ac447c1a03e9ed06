import { useCallback, useEffect, useRef, useState } from 'react';
import { useMe } from '../session/use-session.js';
import { DRAFT_PREFIX } from './draft-storage.js';

const SAVE_AFTER_MS = 500;

/** What the user types into a form. It is kept in this tab until it is sent or the user signs out. */
export interface Draft<T> {
  value: T;
  /** Sets the value. It is stored half a second after the last change. */
  set(value: T): void;
  /** Whether the draft differs from the initial value. The browser then asks before the page is left. */
  isDirty: boolean;
  /** Deletes the draft, after it was sent or discarded. */
  clear(): void;
  /** Returns the stored value, also when the form is no longer mounted; null if there is none. */
  stored(): T | null;
  /** Restores a discarded value: into the mounted form or, if there is none, into the next one. */
  restore(value: T): void;
  /** Calls the listener on `restore`. Returns a function that removes the listener. */
  onRestored(listener: (value: T) => void): () => void;
}

/** Its event types are the keys of drafts. */
const restored = new EventTarget();

/**
 * The draft of a form. Its key contains the user and the organization, so another user who signs in never sees it.
 * `form` identifies the form: `email`, `template:0192…`.
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

  // biome-ignore lint/correctness/useExhaustiveDependencies: each change of the value restarts the delay
  useEffect(() => {
    const timer = setTimeout(save, SAVE_AFTER_MS);
    return () => clearTimeout(timer);
  }, [value, save]);
  useEffect(() => {
    addEventListener('pagehide', save);
    return () => {
      removeEventListener('pagehide', save);
      save(); // the component unmounts before the delay has passed
    };
  }, [save]);
  useUnloadWarning(isDirty);

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
    stored: () => read<T>(key),
    restore(discarded) {
      sessionStorage.setItem(key, JSON.stringify(discarded));
      restored.dispatchEvent(new Event(key));
    },
    onRestored(listener) {
      const notify = () => {
        const discarded = read<T>(key);
        if (discarded !== null) listener(discarded);
      };
      restored.addEventListener(key, notify);
      return () => restored.removeEventListener(key, notify);
    },
  };
}

/** Returns the sessionStorage key for data of a form, separate for each user and organization. Sign-out deletes it. */
export function useDraftKey(form: string): string {
  const { user, org } = useMe();
  return `${DRAFT_PREFIX}${user.id}.${org.id}.${form}`;
}

/** Makes the browser ask before the tab is closed or reloaded. */
export function useUnloadWarning(isDirty: boolean): void {
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
