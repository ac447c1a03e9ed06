import { JoblineError } from '@jobline/client';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { showErrors } from '../../api/form-errors.js';
import type { DraftForm } from '../../drafts/use-draft-form.js';
import { onCtrlEnter } from '../../keyboard/use-shortcut.js';
import { DeliveryFields, RunAtField, retriesError } from '../../product/message/delivery-fields.js';
import { SANDBOX } from '../../product/message/message-status.js';
import { Button, Dialog, Field, Input, Tooltip, toast } from '../../ui/index.js';
import { BodyField } from './email-body.js';
import { type EmailDraft, isBlank } from './email-draft.js';
import { SendError, type SendFailure } from './email-error.js';
import { TemplatePicker } from './email-template.js';
import { FromFields } from './from-fields.js';
import { type Sent, useSend } from './use-send-email.js';

const FORM = 'compose-email';

interface ComposePanelProps {
  open: boolean;
  draft: DraftForm<EmailDraft>;
  onOpen: () => void;
  onClose: () => void;
}

/**
 * The form for an email. Closing keeps the draft and does not stop a running request. The panel stays mounted while it
 * is closed, so that the request and its result are still known when it opens again.
 */
export function ComposePanel({ open, draft, onOpen, onClose }: ComposePanelProps) {
  const { form, values, finish } = draft;
  const { send, startNew } = useSend();
  const [failure, setFailure] = useState<SendFailure | null>(null);
  const { errors, isSubmitting } = form.formState;
  const report = useReport(open, onClose);

  const submit = form.handleSubmit(async (typed) => {
    setFailure(null);
    try {
      const sent = await send(typed);
      const isReset = finish(typed);
      if (isReset) startNew();
      report(sent, isReset);
    } catch (error) {
      const fieldOf = ({ path }: { path: string }) => path.replace(/^payload\./, '');
      const message = showErrors(form, error, fieldOf);
      const code = error instanceof JoblineError ? error.code : null;
      const requestId = error instanceof JoblineError ? error.requestId : undefined;
      if (message !== null || code === 'sender_domain_not_verified') {
        setFailure({ code, message: message ?? '', requestId, to: typed.to.trim() });
      }
    }
  });
  const again = () => {
    startNew();
    void submit();
  };
  const discard = () => {
    setFailure(null);
    const restore = draft.discard();
    onClose();
    const undo = () => {
      restore();
      onOpen();
    };
    toast.info('Draft discarded', { action: { label: 'Undo', onAction: undo } });
  };
  const footer = (
    <>
      <Button
        variant="ghost"
        className="mr-auto"
        disabledReason={isBlank(values) ? 'There is nothing to discard' : undefined}
        onClick={discard}
      >
        Discard
      </Button>
      <Tooltip content="Ctrl+Enter">
        <Button type="submit" form={FORM} variant="primary" busy={isSubmitting}>
          {values.delivery === 'queue' ? 'Queue' : 'Send now'}
        </Button>
      </Tooltip>
    </>
  );
  return (
    <Dialog
      side="right"
      open={open}
      onOpenChange={(next) => !next && onClose()}
      title="New email"
      size="wide"
      footer={footer}
    >
      <form
        id={FORM}
        noValidate
        onSubmit={(event) => void submit(event)}
        onKeyDown={onCtrlEnter(() => void (isSubmitting || submit()))}
        className="flex flex-col gap-4"
      >
        {failure && <SendError failure={failure} onUnsuppressed={() => setFailure(null)} onSendAgain={again} />}
        <Field label="To" error={errors.to?.message} required>
          <Input
            type="email"
            inputMode="email"
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            {...form.register('to', { required: 'Enter the recipient’s email address.' })}
          />
        </Field>
        <FromFields form={form} />
        <TemplatePicker form={form} />
        <Field label="Subject" error={errors.subject?.message} required>
          <Input autoComplete="off" {...form.register('subject', { required: 'Enter a subject.' })} />
        </Field>
        <BodyField form={form} />
        <DeliveryFields
          value={values.delivery}
          onChange={(next) => form.setValue('delivery', next)}
          retries={form.register('max_retries', {
            validate: (text, { delivery }) => delivery === 'now' || (retriesError(text) ?? true),
          })}
          retriesError={errors.max_retries?.message}
          runAt={<RunAtField control={form.control} className="w-full flex-1" />}
        />
      </form>
    </Dialog>
  );
}

/** Returns a function that reports what was sent. `isReset`: the user has not changed the form since. */
function useReport(open: boolean, onClose: () => void): (sent: Sent, isReset: boolean) => void {
  const navigate = useNavigate();
  const isOpen = useRef(open);
  useEffect(() => {
    isOpen.current = open;
  });
  return (sent, isReset) => {
    const isWaiting = isReset && isOpen.current; // otherwise the user does something else and must not be moved
    if (sent.kind === 'sent') {
      const { id, to, provider } = sent.email;
      const show = () => void navigate({ to: '/email', search: { id } });
      toast.success(provider === SANDBOX ? 'Email recorded, not sent' : 'Email sent', {
        detail: `To ${to}`,
        ...(!isWaiting && { action: { label: 'Open the email', onAction: show } }),
      });
      if (isWaiting) show();
      return;
    }
    if (isWaiting) onClose();
    const show = () => void navigate({ to: '/job/$id', params: { id: sent.jobId } });
    toast.success('Email queued', { detail: 'A job will send it.', action: { label: 'Open the job', onAction: show } });
  };
}
