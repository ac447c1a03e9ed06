import { useState } from 'react';
import { showErrors } from '../../api/form-errors.js';
import { useDraftForm } from '../../drafts/use-draft-form.js';
import { toast } from '../../ui/index.js';
import { type Compose, EMPTY, fieldOf } from './compose-form.js';
import type { OutcomeProps } from './outcome.js';
import { useSend } from './use-send.js';

export type Composing = ReturnType<typeof useCompose>;

/** What is written, being sent, and became of it: the page's, so that no change between its panels loses any of it. */
export function useCompose(onListed: () => void) {
  const { form, values, isDirty, discard, finish } = useDraftForm<Compose>('sms', EMPTY);
  const { isSubmitting } = form.formState;
  const { send, startAnew } = useSend(onListed);
  const [outcome, setOutcome] = useState<OutcomeProps['outcome']>(null);
  /** What a template took the place of. */
  const [replaced, setReplaced] = useState<string | null>(null);

  const submit = form.handleSubmit(async (typed) => {
    setOutcome(null);
    try {
      const sent = await send(typed);
      if (finish(typed)) {
        startAnew();
        setReplaced(null);
      }
      setOutcome({ sent, to: typed.to });
    } catch (error) {
      setOutcome({ error, sentence: showErrors(form, error, fieldOf) });
    }
  });
  const write = (message: string) => form.setValue('message', message, { shouldValidate: form.formState.isSubmitted });
  return {
    form,
    values,
    isDirty,
    isSubmitting,
    outcome,
    replaced,
    write,
    submit: () => void (isSubmitting || submit()),
    /** As another text, whatever became of the last one. */
    sendAnyway() {
      startAnew();
      void submit();
    },
    /** Takes a template's text. */
    replace(text: string) {
      const before = form.getValues('message');
      write(text);
      form.setFocus('message');
      setReplaced(before !== '' && before !== text ? before : null);
    },
    undoReplace() {
      write(replaced ?? '');
      setReplaced(null);
    },
    /** Throws the draft away, and offers it back. */
    discard() {
      const restore = discard();
      setReplaced(null);
      toast.info('The draft is discarded', { action: { label: 'Undo', onAction: restore } });
    },
  };
}
