import { useEffect, useRef, useState } from 'react';
import { type DefaultValues, type FieldValues, useForm } from 'react-hook-form';
import { DRAFT_PREFIX } from '../services.js';
import { useMe } from '../session/use-session.js';

/** A form whose fields are stored as a draft. */
export type DraftForm<T extends FieldValues> = ReturnType<typeof useDraftForm<T>>;

/** Reports restored drafts to the mounted forms. Its event types are the keys of drafts. */
const restored = new EventTarget();

/**
 * What the user types is kept in this tab until it is sent or the user signs out. The key of the draft contains the user
 * and the organization, so another user who signs in never sees it. `name` identifies the form: `email`,
 * `template:0192…`. `saved` has the values of the form before the user types; its keys are the fields, and its values
 * are plain. If another user saves other values, an unchanged form shows those.
 */
export function useDraftForm<T extends FieldValues>(name: string, saved: T) {
  const key = useDraftKey(name);
  const [initial] = useState(() => readDraft(key, saved) ?? saved);
  // The cast: complete values are also valid partial values.
  const form = useForm<T>({ defaultValues: initial as DefaultValues<T> });
  const values = form.watch();
  const textOf = (fields: T) => JSON.stringify(fields, Object.keys(saved));
  const typed = textOf(values);
  const savedText = textOf(saved);
  const isDirty = typed !== savedText;
  useUnloadWarning(isDirty);

  const wasSaved = useRef(savedText);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only a change of the text matters
  useEffect(() => {
    const isUntouched = typed === wasSaved.current;
    wasSaved.current = savedText;
    if (!isDirty) sessionStorage.removeItem(key);
    else if (isUntouched) form.reset(saved);
    else storeDraft(key, typed);
  }, [typed, savedText]);

  const isMounted = useRef(false);
  useEffect(() => {
    const showDraft = () => {
      const draft = readDraft(key, saved);
      if (draft) form.reset(draft);
    };
    restored.addEventListener(key, showDraft);
    isMounted.current = true;
    return () => {
      restored.removeEventListener(key, showDraft);
      isMounted.current = false;
    };
  });

  const forget = () => sessionStorage.removeItem(key);
  return {
    form,
    values,
    /** Whether the values differ from the saved ones. A change that is undone by typing does not count. */
    isDirty,
    /** Resets the form to the saved values. Returns a function that restores the draft, even on another page. */
    discard(): () => void {
      const discarded = textOf(form.getValues());
      forget();
      form.reset(saved);
      return () => {
        storeDraft(key, discarded);
        restored.dispatchEvent(new Event(key));
      };
    },
    /**
     * Resets the form after `sent` was sent. If the user has typed something else since then, nothing changes. Returns
     * whether the form is still mounted and was reset.
     */
    finish(sent: T): boolean {
      const current = isMounted.current ? textOf(form.getValues()) : (sessionStorage.getItem(key) ?? savedText);
      if (current !== textOf(sent)) return false;
      forget();
      if (isMounted.current) form.reset(saved);
      return isMounted.current;
    },
    /** Deletes the draft and keeps the fields, for content that was saved under another key. */
    forget,
  };
}

/** A draft for which the tab has no storage left is not kept; the warning before the tab closes protects it. */
function storeDraft(key: string, text: string): void {
  try {
    sessionStorage.setItem(key, text);
  } catch (error) {
    if (!(error instanceof DOMException && error.name === 'QuotaExceededError')) throw error;
    sessionStorage.removeItem(key); // an older state would be wrong
  }
}

/**
 * Returns the stored draft of the form with the values `saved`. A draft that lacks one of its fields is from another
 * version of the dashboard and is ignored, because the field would get a value that the user has not chosen.
 */
function readDraft<T extends FieldValues>(key: string, saved: T): T | null {
  const text = sessionStorage.getItem(key);
  if (text === null) return null;
  const draft = JSON.parse(text) as T; // written by this hook for the same form
  return Object.keys(saved).every((field) => field in draft) ? draft : null;
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
