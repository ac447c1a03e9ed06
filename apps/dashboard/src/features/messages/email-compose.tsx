import type { Schemas } from '@jobline/client';
import { useNavigate } from '@tanstack/react-router';
import { onCtrlEnter } from '../../keyboard/use-shortcut.js';
import { DeliveryFields, RunAtField, retriesError } from '../../product/message/delivery-fields.js';
import { SANDBOX } from '../../product/message/message-status.js';
import { Button, Dialog, Field, Input, Tooltip, toast } from '../../ui/index.js';
import { useLatest } from '../../ui/use-latest.js';
import { BodyField } from './email-body.js';
import { EmailTemplate } from './email-template.js';
import { EmailFrom } from './from-fields.js';
import { type EmailDraft, isBlank } from './model.js';
import { SendError } from './send-error.js';
import { type Composing, EMAIL, useCompose } from './use-compose.js';

const FORM = 'compose-email';

interface EmailComposeProps {
  open: boolean;
  composing: Composing<EmailDraft, Schemas['SentEmail']>;
  onOpen: () => void;
  onClose: () => void;
}

/** The form for an email. Closing keeps the draft and does not stop a running request. */
export function EmailCompose({ open, composing, onOpen, onClose }: EmailComposeProps) {
  const { form, values, isSubmitting, failure, forgetFailure, submit, sendAgain } = composing;
  const { errors } = form.formState;
  const discard = () => {
    forgetFailure();
    const restore = composing.discard();
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
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
        onKeyDown={onCtrlEnter(submit)}
        className="flex flex-col gap-4"
      >
        {failure && (
          <div ref={intoView} className="scroll-mt-4">
            <SendError channel="email" failure={failure} onUnsuppressed={forgetFailure} onSendAgain={sendAgain} />
          </div>
        )}
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
        <EmailFrom form={form} />
        <EmailTemplate form={form} />
        <Field label="Subject" error={errors.subject?.message} required>
          <Input autoComplete="off" {...form.register('subject', { required: 'Enter a subject.' })} />
        </Field>
        <BodyField form={form} />
        <DeliveryFields
          value={values.delivery}
          onChange={(next) => form.setValue('delivery', next)}
          retries={form.register('max_retries', {
            validate: (text, { delivery }) => delivery !== 'queue' || (retriesError(text) ?? true),
          })}
          retriesError={errors.max_retries?.message}
          runAt={<RunAtField control={form.control} className="w-full flex-1" />}
        />
      </form>
    </Dialog>
  );
}

function intoView(box: HTMLElement | null): void {
  box?.scrollIntoView({ block: 'nearest' });
}

/**
 * The state of the form and of its request. It belongs to the page, so that both are still known when the panel opens
 * again. What was sent is reported by a toast.
 */
export function useEmailCompose(open: boolean, onClose: () => void): EmailComposeProps['composing'] {
  const navigate = useNavigate();
  const isOpen = useLatest(open);
  return useCompose(EMAIL, {
    onSent({ message, jobId }, isReset) {
      const isWaiting = isReset && isOpen.current; // otherwise the user does something else and must not be moved
      if (message) {
        const { id, to, provider } = message;
        const show = () => void navigate({ to: '/email', search: { id } });
        toast.success(provider === SANDBOX ? 'Email recorded, not sent' : 'Email sent', {
          detail: `To ${to}`,
          ...(!isWaiting && { action: { label: 'Open the email', onAction: show } }),
        });
        if (isWaiting) show();
        return;
      }
      if (isWaiting) onClose();
      const show = () => void navigate({ to: '/job/$id', params: { id: jobId } });
      toast.success('Email queued', {
        detail: 'A job will send it.',
        action: { label: 'Open the job', onAction: show },
      });
    },
  });
}
