import { type Jobline, JoblineError, type JoblineErrorCode, type Schemas } from '@jobline/client';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { showErrors } from '../../api/form-errors.js';
import { submitJob } from '../../api/submit-job.js';
import { type DraftForm, useDraftForm } from '../../drafts/use-draft-form.js';
import { useIdempotencyKey } from '../../drafts/use-idempotency-key.js';
import { useApi } from '../../services.js';
import {
  type Draft,
  EMPTY_EMAIL,
  EMPTY_SMS,
  type EmailDraft,
  emailField,
  emailOf,
  type SmsDraft,
  smsOf,
} from './model.js';

/** What sending differs in: the form, the message that the API gets, and the list that then contains it. */
interface Channel<D extends Draft, Message extends object, Accepted> {
  /** The name of the draft. */
  name: 'email' | 'sms';
  empty: D;
  messageOf: (draft: D) => Message;
  /** The field with the value that has this path in the API. */
  fieldOf: (path: string, draft: D) => string;
  send: (api: Jobline, message: Message, options: { idempotencyKey: string }) => Promise<Accepted>;
  jobType: string;
  list: 'listEmails' | 'listSms';
}

export const EMAIL: Channel<EmailDraft, ReturnType<typeof emailOf>, Schemas['SentEmail']> = {
  name: 'email',
  empty: EMPTY_EMAIL,
  messageOf: emailOf,
  fieldOf: emailField,
  send: (api, message, options) => api.email.send(message, options),
  jobType: 'send_email',
  list: 'listEmails',
};

export const SMS: Channel<SmsDraft, ReturnType<typeof smsOf>, Schemas['SentSms']> = {
  name: 'sms',
  empty: EMPTY_SMS,
  messageOf: smsOf,
  fieldOf: (path) => path.replace(/^payload\./, ''),
  send: (api, message, options) => api.sms.send(message, options),
  jobType: 'send_sms',
  list: 'listSms',
};

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
  isSubmitting: boolean;
  /** What the last request has sent; null if there is none or if it failed. */
  accepted: { sent: Sent<Accepted>; to: string } | null;
  failure: Failure | null;
  forgetFailure(): void;
  /** Sends the message now or by a job, as the form says. Repeating it with the same values is the same request. */
  submit(): void;
  /** Sends a new message, although the last one may have been sent. */
  sendAgain(): void;
}

interface ComposeOptions<Accepted> {
  /** `isReset`: the user has not changed the form since. */
  onSent: (sent: Sent<Accepted>, isReset: boolean) => void;
  /** Called when the list contains the message that was sent last. */
  onListed?: () => void;
}

/** The form for a message. Its values are kept as a draft until they are sent or discarded. */
export function useCompose<D extends Draft, Message extends object, Accepted>(
  { name, empty, messageOf, fieldOf, send, jobType, list }: Channel<D, Message, Accepted>,
  { onSent, onListed }: ComposeOptions<Accepted>,
): Composing<D, Accepted> {
  const api = useApi();
  const queries = useQueryClient();
  const keys = useIdempotencyKey(name);
  const draft = useDraftForm(name, empty);
  const { form, finish } = draft;
  const { isSubmitting } = form.formState;
  const [accepted, setAccepted] = useState<Composing<D, Accepted>['accepted']>(null);
  const [failure, setFailure] = useState<Failure | null>(null);

  const sendOrQueue = async (typed: D): Promise<Sent<Accepted>> => {
    const message = messageOf(typed);
    try {
      if (typed.delivery !== 'queue') {
        return { message: await send(api, message, { idempotencyKey: keys.of(message) }) };
      }
      const job = {
        type: jobType,
        payload: message,
        max_retries: Number(typed.max_retries),
        ...(typed.run_at !== null && { run_at: typed.run_at }),
      };
      return { jobId: (await submitJob(api, keys.of(job), job)).id };
    } finally {
      // The list also contains messages that the provider rejected.
      void queries.invalidateQueries({ queryKey: [list] }).then(onListed);
    }
  };
  const submit = form.handleSubmit(async (typed) => {
    setAccepted(null);
    setFailure(null);
    try {
      const sent = await sendOrQueue(typed);
      const isReset = finish(typed);
      if (isReset) keys.forget();
      setAccepted({ sent, to: typed.to });
      onSent(sent, isReset);
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
    isSubmitting,
    accepted,
    failure,
    forgetFailure: () => setFailure(null),
    submit: () => void (isSubmitting || submit()),
    sendAgain() {
      keys.forget();
      void submit();
    },
  };
}
