import { useState } from 'react';
import { showErrors } from '../../api/form-errors.js';
import { useDraftForm } from '../../drafts/use-draft-form.js';
import { toast } from '../../ui/index.js';
import { type Compose, EMPTY, fieldOf } from './sms-draft.js';
import type { OutcomeProps } from './sms-outcome.js';
import { useSend } from './use-send-sms.js';

export type Composing = ReturnType<typeof useCompose>;

/**
 * The state of the compose form. It belongs to the page, so that switching between panels loses neither draft nor
 * result.
 */
export function useCompose(onListed: () => void) {
  const { form, values, isDirty, discard, finish } = useDraftForm<Compose>('sms', EMPTY);
  const { isSubmitting } = form.formState;
  const { send, startNew } = useSend(onListed);
  const [outcome, setOutcome] = useState<OutcomeProps['outcome']>(null);
  /** The text that a template has replaced. */
  const [replaced, setReplaced] = useState<string | null>(null);

  const submit = form.handleSubmit(async (typed) => {
    setOutcome(null);
    try {
      const sent = await send(typed);
      if (finish(typed)) {
        startNew();
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
    /** Sends a new SMS, although the last one may have been sent. */
    sendAnyway() {
      startNew();
      void submit();
    },
    /** Replaces the message with the text of a template. */
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
    /** Discards the draft and offers to undo it. */
    discard() {
      const restore = discard();
      setReplaced(null);
      toast.info('The draft is discarded', { action: { label: 'Undo', onAction: restore } });
    },
  };
}
