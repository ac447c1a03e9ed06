import { JoblineError, type JoblineErrorCode, type Schemas } from '@jobline/client';
import { useState } from 'react';
import type { Path, PathValue } from 'react-hook-form';
import { showErrors } from '../../api/form-errors.js';
import { submitJob } from '../../api/submit-job.js';
import { useDraftForm } from '../../drafts/use-draft-form.js';
import { useIdempotencyKey } from '../../drafts/use-idempotency-key.js';
import { onCtrlEnter } from '../../keyboard/use-shortcut.js';
import { useServices } from '../../services.js';
import { toast, useUndo } from '../../ui/index.js';
import type { Accepted, Draft, MessageForm } from './draft.js';
import { LISTS } from './queries.js';

/** The accepted message, or the job that will send it. */
type Sent = { message: Accepted; jobId?: never } | { jobId: string; message?: never };

/** Why a message was not sent, if the reason does not belong to a field. */
interface Failure {
  /** Null if there was no response from the API. */
  code: JoblineErrorCode | null;
  sentence: string;
  requestId: string | undefined;
  /** The recipient. */
  to: string;
}

interface ComposeOptions {
  /** `isReset`: the user has not changed the form since. */
  onSent?: (sent: Sent, isReset: boolean) => void;
  /** Called when the list contains the message that was sent last. */
  onListed?: () => void;
}

export type Composing<D extends Draft> = ReturnType<typeof useCompose<D>>;

/** The form for a message. Its values are kept as a draft until they are sent or discarded. */
export function useCompose<D extends Draft>(
  { channel, empty, messageOf, fieldOf, send, tested, textsOf }: MessageForm<D>,
  { onSent, onListed }: ComposeOptions,
) {
  const { api, queries } = useServices();
  const keys = useIdempotencyKey(channel);
  const draft = useDraftForm(channel, empty);
  const { form, finish } = draft;
  const { isSubmitting } = form.formState;
  const undo = useUndo();
  const [accepted, setAccepted] = useState<{ sent: Sent; to: string } | null>(null);
  const [failure, setFailure] = useState<Failure | null>(null);
  const [isTesting, setTesting] = useState(false);

  const sendOrQueue = async (typed: D): Promise<Sent> => {
    const message = messageOf(typed);
    try {
      if (typed.delivery !== 'queue') return { message: await send(api, typed, { idempotencyKey: keys.of(message) }) };
      const job = {
        type: `send_${channel}`,
        payload: message,
        max_retries: Number(typed.max_retries),
        ...(typed.run_at !== null && { run_at: typed.run_at }),
      };
      return { jobId: (await submitJob(api, keys.of(job), job)).id };
    } finally {
      // The list also contains messages that the provider rejected.
      void queries.invalidateQueries({ queryKey: [LISTS[channel]] }).then(onListed);
    }
  };
  const submit = form.handleSubmit(async (typed) => {
    setAccepted(null);
    setFailure(null);
    try {
      const sent = await sendOrQueue(typed);
      const isReset = finish(typed);
      if (isReset) {
        keys.forget();
        undo.clear();
      }
      setAccepted({ sent, to: typed.to });
      onSent?.(sent, isReset);
    } catch (error) {
      const sentence = showErrors(form, error, ({ path }) => fieldOf(path, typed));
      const { code = null, requestId } = error instanceof JoblineError ? error : {};
      // The field shows the error of an unverified domain, and the page shows what to do.
      if (sentence !== null || code === 'sender_domain_not_verified') {
        setFailure({ code, sentence: sentence ?? '', requestId, to: typed.to.trim() });
      }
    }
  });
  const sendOnce = (event?: { preventDefault(): void }) => {
    event?.preventDefault();
    if (!isSubmitting) void submit();
  };
  return {
    ...draft,
    channel,
    isSubmitting,
    /** What the last request has sent; null if there is none or if it failed. */
    accepted,
    failure,
    forgetFailure: () => setFailure(null),
    /** Send the message now or by a job, as the form says. Repeating it with the same values is the same request. */
    formEvents: { onSubmit: sendOnce, onKeyDown: onCtrlEnter(sendOnce) },
    /** Sends a new message, although the last one may have been sent. */
    sendAgain() {
      keys.forget();
      void submit();
    },
    /** Starts a test if its fields are valid. */
    startTest: () => void form.trigger(tested, { shouldFocus: true }).then(setTesting),
    /** The test that is being sent. */
    test: isTesting && {
      channel,
      from: messageOf(draft.values).from,
      send: (to: string) => send(api, { ...draft.values, to, cc: [], bcc: [] }), // to no other recipient
      onClose: () => setTesting(false),
    },
    /** Puts the texts of a template into the form. `undoNote` then offers to restore what was replaced. */
    take(filled: Schemas['Preview']) {
      const texts = textsOf(filled);
      const before = form.getValues();
      // The cast: `texts` has fields of the form.
      const names = Object.keys(texts) as (Path<D> & keyof D)[];
      const put = (values: Partial<D>) => {
        for (const name of names) form.setValue(name, values[name] as PathValue<D, Path<D>>);
        form.clearErrors(names);
      };
      put(texts);
      undo.clear();
      if (names.some((name) => before[name] !== '')) {
        undo.offer('The template replaced your text', () => put(before));
      }
    },
    undoNote: undo.note,
    /** Discards the draft. A toast offers to undo it. */
    discardDraft(onUndo?: () => void) {
      setFailure(null);
      undo.clear();
      const restore = draft.discard();
      const onAction = () => {
        restore();
        onUndo?.();
      };
      toast.info('The draft is discarded', { action: { label: 'Undo', onAction } });
    },
  };
}
