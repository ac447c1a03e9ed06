import { useEffect, useRef } from 'react';
import { type DefaultValues, type FieldValues, type UseFormReturn, useForm } from 'react-hook-form';
import { useDraft } from './use-draft.js';

/** A form whose fields are a draft. */
export interface DraftForm<T extends FieldValues> {
  form: UseFormReturn<T>;
  /** As they are now. */
  values: T;
  /** Whether they differ from what is saved. What is typed and taken back again is no change. */
  isDirty: boolean;
  /** Back to what is saved; what it gives brings the draft back, wherever its reader is by then. */
  discard(): () => void;
  /** The same, once it was sent like that. Not where something else is typed by now, or the form is gone; says whether. */
  finish(sent: T): boolean;
  /** The draft goes, and the fields stay as they are: for what has become saved under another name. */
  forget(): void;
}

/**
 * `saved` is what the form holds when nothing was typed; its values are plain, and its keys are the fields. Once somebody
 * else has saved something else, the form holds that.
 */
export function useDraftForm<T extends FieldValues>(name: string, saved: T): DraftForm<T> {
  const draft = useDraft<T>(name, saved);
  const form = useForm<T>({ defaultValues: draft.value as DefaultValues<T> }); // all of them, which are some of them
  const values = form.watch();
  const textOf = (fields: T) => JSON.stringify(fields, Object.keys(saved));
  const typed = textOf(values);
  const savedText = textOf(saved);
  const isDirty = typed !== savedText;
  const isKept = draft.isDirty && typed === textOf(draft.value);

  const latest = useRef({ draft, values });
  useEffect(() => {
    latest.current = { draft, values };
  });
  const wasSaved = useRef(savedText);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a change is one of the text
  useEffect(() => {
    const { draft, values } = latest.current;
    const isUntouched = typed === wasSaved.current;
    wasSaved.current = savedText;
    if (!isDirty) {
      if (draft.isDirty) draft.clear();
    } else if (isUntouched) form.reset(saved);
    else if (!isKept) draft.set({ ...values });
  }, [typed, savedText, isKept]);

  useEffect(() => draft.onRestored((thrown) => form.reset(thrown)));
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
      const thrown = form.getValues();
      draft.clear();
      form.reset(saved);
      return () => draft.restore(thrown);
    },
    finish(sent) {
      const now = isMounted.current ? form.getValues() : (draft.kept() ?? saved);
      if (textOf(now) !== textOf(sent)) return false;
      draft.clear();
      if (isMounted.current) form.reset(saved);
      return isMounted.current;
    },
    forget: draft.clear,
  };
}
