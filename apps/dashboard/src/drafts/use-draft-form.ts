import { useEffect, useRef } from 'react';
import { type DefaultValues, type FieldValues, type UseFormReturn, useForm } from 'react-hook-form';
import { useDraft } from './use-draft.js';

/** A form whose fields are stored as a draft. */
export interface DraftForm<T extends FieldValues> {
  form: UseFormReturn<T>;
  /** The current values. */
  values: T;
  /** Whether the values differ from the saved ones. A change that is undone by typing does not count. */
  isDirty: boolean;
  /** Resets the form to the saved values. Returns a function that restores the draft, even on another page. */
  discard(): () => void;
  /**
   * Resets the form after `sent` was sent. If the user has typed something else since then, nothing changes. Returns
   * whether the form is still mounted and was reset.
   */
  finish(sent: T): boolean;
  /** Deletes the draft and keeps the fields, for content that was saved under another key. */
  forget(): void;
}

/**
 * `saved` has the values of the form before the user types; its keys are the fields, and its values are plain. If
 * another user saves other values, an unchanged form shows those.
 */
export function useDraftForm<T extends FieldValues>(name: string, saved: T): DraftForm<T> {
  const draft = useDraft<T>(name, saved);
  // The cast: complete values are also valid partial values.
  const form = useForm<T>({ defaultValues: draft.value as DefaultValues<T> });
  const values = form.watch();
  const textOf = (fields: T) => JSON.stringify(fields, Object.keys(saved));
  const typed = textOf(values);
  const savedText = textOf(saved);
  const isDirty = typed !== savedText;
  const isStored = draft.isDirty && typed === textOf(draft.value);

  const latest = useRef({ draft, values });
  useEffect(() => {
    latest.current = { draft, values };
  });
  const wasSaved = useRef(savedText);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only a change of the text matters
  useEffect(() => {
    const { draft, values } = latest.current;
    const isUntouched = typed === wasSaved.current;
    wasSaved.current = savedText;
    if (!isDirty) {
      if (draft.isDirty) draft.clear();
    } else if (isUntouched) form.reset(saved);
    else if (!isStored) draft.set({ ...values });
  }, [typed, savedText, isStored]);

  useEffect(() => draft.onRestored((discarded) => form.reset(discarded)));
  const isMounted = useRef(false);
  useEffect(() => {
    isMounted.current = true;
    return () => {
      isMounted.current = false;
    };
  }, []);

  return {
    form,
    values,
    isDirty,
    discard() {
      const discarded = form.getValues();
      draft.clear();
      form.reset(saved);
      return () => draft.restore(discarded);
    },
    finish(sent) {
      const now = isMounted.current ? form.getValues() : (draft.stored() ?? saved);
      if (textOf(now) !== textOf(sent)) return false;
      draft.clear();
      if (isMounted.current) form.reset(saved);
      return isMounted.current;
    },
    forget: draft.clear,
  };
}
