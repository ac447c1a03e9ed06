import { type Jobline, JoblineError, type JoblineErrorCode, type Schemas } from '@jobline/client';
import { useQueryClient } from '@tanstack/react-query';
import { type ComponentProps, type ReactNode, useState } from 'react';
import type { Path, PathValue } from 'react-hook-form';
import { showErrors } from '../../api/form-errors.js';
import { submitJob } from '../../api/submit-job.js';
import { type DraftForm, useDraftForm } from '../../drafts/use-draft-form.js';
import { useIdempotencyKey } from '../../drafts/use-idempotency-key.js';
import type { SendTest } from '../../product/message/send-test.js';
import { useApi } from '../../services.js';
import { toast, useUndo } from '../../ui/index.js';
import {
  type Draft,
  EMPTY_EMAIL,
  EMPTY_SMS,
  type EmailDraft,
  emailField,
  emailOf,
  type SmsDraft,
  smsOf,
} from './draft.js';
import { LISTS } from './queries.js';

/** What sending differs in: the form, and the message that the API gets. */
interface Channel<D extends Draft, Message extends { from?: string }, Accepted> {
  /** The name of the channel and of the draft. */
  name: 'email' | 'sms';
  empty: D;
  messageOf: (draft: D) => Message;
  /** The field with the value that has this path in the API. */
  fieldOf: (path: string, draft: D) => string;
  send: (api: Jobline, message: Message, options?: { idempotencyKey: string }) => Promise<Accepted>;
  /** The fields that must be valid in a test. */
  tested: readonly Path<D>[];
  /** The draft with no other recipient than this one. */
  onlyTo: (draft: D, to: string) => D;
  /** The fields that a filled template replaces. */
  textsOf: (filled: Schemas['Preview']) => Partial<D>;
}

export const EMAIL: Channel<EmailDraft, ReturnType<typeof emailOf>, Schemas['SentEmail']> = {
  name: 'email',
  empty: EMPTY_EMAIL,
  messageOf: emailOf,
  fieldOf: emailField,
  send: (api, message, options) => api.email.send(message, options),
  tested: ['from', 'subject', 'body', 'text'],
  onlyTo: (draft, to) => ({ ...draft, to, cc: [], bcc: [] }),
  textsOf: ({ subject, body }) => ({ ...(subject !== undefined && { subject }), body }),
};

export const SMS: Channel<SmsDraft, ReturnType<typeof smsOf>, Schemas['SentSms']> = {
  name: 'sms',
  empty: EMPTY_SMS,
  messageOf: smsOf,
  fieldOf: (path) => path.replace(/^payload\./, ''),
  send: (api, message, options) => api.sms.send(message, options),
  tested: ['message'],
  onlyTo: (draft, to) => ({ ...draft, to }),
  textsOf: ({ body }) => ({ message: body }),
};

/** What the API says about a sent message. */
type Sendable = Awaited<ReturnType<ComponentProps<typeof SendTest>['send']>>;

/** The accepted message, or the job that will send it. */
export type Sent<Accepted> = { message: Accepted; jobId?: never } | { jobId: string; message?: never };

/** Why a message was not sent, if the reason does not belong to a field. */
export interface Failure {
  /** Null if there was no response from the API. */
  code: JoblineErrorCode | null;
  sentence: string;
  requestId: string | undefined;
  /** The recipient. */
  to: string;
}

export interface Composing<D extends Draft, Accepted> extends DraftForm<D> {
  channel: 'email' | 'sms';
  isSubmitting: boolean;
  /** What the last request has sent; null if there is none or if it failed. */
  accepted: { sent: Sent<Accepted>; to: string } | null;
  failure: Failure | null;
  forgetFailure(): void;
  /** Sends the message now or by a job, as the form says. Repeating it with the same values is the same request. */
  submit(): void;
  /** Sends a new message, although the last one may have been sent. */
  sendAgain(): void;
  /** Starts a test if its fields are valid. */
  startTest(): void;
  /** The test that is being sent. */
  test: Omit<ComponentProps<typeof SendTest>, 'channel'> | null;
  /** Puts the texts of a template into the form. `undoNote` then offers to restore what was replaced. */
  take(filled: Schemas['Preview']): void;
  undoNote: ReactNode;
  /** Discards the draft. A toast offers to undo it. */
  discardDraft(onUndo?: () => void): void;
}

interface ComposeOptions<Accepted> {
  /** `isReset`: the user has not changed the form since. */
  onSent?: (sent: Sent<Accepted>, isReset: boolean) => void;
  /** Called when the list contains the message that was sent last. */
  onListed?: () => void;
}

/** The form for a message. Its values are kept as a draft until they are sent or discarded. */
export function useCompose<D extends Draft, Message extends { from?: string }, Accepted extends Sendable>(
  { name, empty, messageOf, fieldOf, send, tested, onlyTo, textsOf }: Channel<D, Message, Accepted>,
  { onSent, onListed }: ComposeOptions<Accepted>,
): Composing<D, Accepted> {
  const api = useApi();
  const queries = useQueryClient();
  const keys = useIdempotencyKey(name);
  const draft = useDraftForm(name, empty);
  const { form, finish } = draft;
  const { isSubmitting } = form.formState;
  const undo = useUndo();
  const [accepted, setAccepted] = useState<Composing<D, Accepted>['accepted']>(null);
  const [failure, setFailure] = useState<Failure | null>(null);
  const [isTesting, setTesting] = useState(false);

  const sendOrQueue = async (typed: D): Promise<Sent<Accepted>> => {
    const message = messageOf(typed);
    try {
      if (typed.delivery !== 'queue') {
        return { message: await send(api, message, { idempotencyKey: keys.of(message) }) };
      }
      const job = {
        type: `send_${name}`,
        payload: message,
        max_retries: Number(typed.max_retries),
        ...(typed.run_at !== null && { run_at: typed.run_at }),
      };
      return { jobId: (await submitJob(api, keys.of(job), job)).id };
    } finally {
      // The list also contains messages that the provider rejected.
      void queries.invalidateQueries({ queryKey: [LISTS[name]] }).then(onListed);
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
  return {
    ...draft,
    channel: name,
    isSubmitting,
    accepted,
    failure,
    forgetFailure: () => setFailure(null),
    submit: () => void (isSubmitting || submit()),
    sendAgain() {
      keys.forget();
      void submit();
    },
    undoNote: undo.note,
    startTest: () => void form.trigger(tested, { shouldFocus: true }).then(setTesting),
    test: isTesting
      ? {
          from: messageOf(draft.values).from,
          send: (to) => send(api, messageOf(onlyTo(draft.values, to))),
          onClose: () => setTesting(false),
        }
      : null,
    take(filled) {
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
    discardDraft(onUndo) {
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
