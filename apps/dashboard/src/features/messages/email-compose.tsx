import type { Schemas } from '@jobline/client';
import { Link, useNavigate } from '@tanstack/react-router';
import type { UseFormReturn } from 'react-hook-form';
import { useList } from '../../api/use-list.js';
import { onCtrlEnter } from '../../keyboard/use-shortcut.js';
import { useDefaultSender } from '../../product/message/default-sender.js';
import { DeliveryFields } from '../../product/message/delivery-fields.js';
import { SANDBOX } from '../../product/message/message-status.js';
import { useCan } from '../../session/use-session.js';
import { Button, Dialog, Field, Input, linkClasses, type Option, Select, Tooltip, toast } from '../../ui/index.js';
import { useLatest } from '../../ui/use-latest.js';
import { type EmailDraft, isBlank } from './draft.js';
import { AttachmentsField } from './email-attachments.js';
import { BodyField } from './email-body.js';
import { CopyFields, useCopyFields } from './email-copies.js';
import { SendError } from './send-error.js';
import { LiftSuppression } from './suppressions.js';
import { ComposeDialogs, TemplateMenu } from './template-picker.js';
import { type Composing, EMAIL, useCompose } from './use-compose.js';

const FORM = 'compose-email';

interface EmailComposeProps {
  open: boolean;
  composing: Composing<EmailDraft, Schemas['SentEmail']>;
  /** The template that is being filled in. */
  template: string | undefined;
  onTemplate: (id: string | undefined) => void;
  onOpen: () => void;
  onClose: () => void;
}

/** The form for an email. Closing keeps the draft and does not stop a running request. */
export function EmailCompose(props: EmailComposeProps) {
  const { open, composing, template, onTemplate, onOpen, onClose } = props;
  const { form, values, isSubmitting, failure, forgetFailure, submit, sendAgain } = composing;
  const { errors } = form.formState;
  const copies = useCopyFields(form);
  const discard = () => {
    composing.discardDraft(onOpen);
    onClose();
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
      <Button onClick={composing.startTest}>Send test</Button>
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
            <SendError
              channel="email"
              failure={failure}
              lift={<LiftSuppression address={failure.to} onLifted={forgetFailure} />}
              onSendAgain={sendAgain}
            />
          </div>
        )}
        <Field label="To" error={errors.to?.message} required aside={copies.toggle}>
          <Input
            type="email"
            inputMode="email"
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            {...form.register('to', { required: 'Enter the recipient’s email address.' })}
          />
        </Field>
        {copies.isOpen && <CopyFields form={form} />}
        <EmailFrom form={form} />
        <Field
          label="Subject"
          error={errors.subject?.message}
          required
          aside={<TemplateMenu channel="email" onPick={onTemplate} />}
        >
          <Input autoComplete="off" {...form.register('subject', { required: 'Enter a subject.' })} />
        </Field>
        <BodyField form={form} />
        {composing.undoNote}
        <AttachmentsField form={form} />
        <DeliveryFields form={form} />
      </form>
      {/* Its dialogs have their own forms, so they must be outside this one. */}
      <ComposeDialogs composing={composing} template={template} onTemplate={onTemplate} />
    </Dialog>
  );
}

/** Stands for the empty value, which Radix does not allow. */
const DEFAULT = 'default';
const MAX_DOMAINS = 1_000;

/** The sender: the default sender, or a name at a verified domain of the organization. */
function EmailFrom({ form }: { form: UseFormReturn<EmailDraft> }) {
  const can = useCan();
  const domains = useList('listDomains', { limit: MAX_DOMAINS });
  const byDefault = useDefaultSender('email');
  const chosen = form.watch('domain');
  const error = form.formState.errors.from?.message;
  const pending = domains.rows?.filter(({ status }) => status === 'pending') ?? [];
  const options: Option[] = [
    { value: DEFAULT, label: 'Default sender', hint: byDefault },
    ...(domains.rows ?? []).map(({ domain, status }) =>
      status === 'verified'
        ? { value: domain, label: `@${domain}` }
        : { value: domain, label: `@${domain}`, hint: 'Pending: not verified yet', disabled: true },
    ),
  ];
  // A chosen domain that was removed since stays in the list. The API returns the error for it.
  if (chosen !== '' && !options.some(({ value }) => value === chosen))
    options.push({ value: chosen, label: `@${chosen}` });
  const state = domains.error ? (
    'The domains could not be loaded. You can still use the default sender.'
  ) : pending.length > 0 ? (
    <>
      {pending.length === 1 ? `${pending[0]?.domain} is` : `${pending.length} domains are`} pending.{' '}
      {can('senders') ? (
        <Link to="/domains" className={`${linkClasses} underline`}>
          Verify
        </Link>
      ) : (
        'An owner or admin can verify it.'
      )}
    </>
  ) : undefined;
  const hint = (
    <>
      {chosen === '' && byDefault && <span className="block wrap-anywhere">Default sender: {byDefault}</span>}
      {state}
    </>
  );
  return (
    <div className="flex items-start gap-2 max-sm:flex-col">
      {chosen !== '' && (
        <Field label="Name before the @" error={error} required className="w-full flex-1">
          <Input
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            placeholder="hello"
            {...form.register('from', {
              validate: (name, { domain }) => domain === '' || name.trim() !== '' || 'Enter the name before the @.',
            })}
          />
        </Field>
      )}
      <Field label="From" error={chosen === '' ? error : undefined} hint={hint} className="w-full flex-1">
        <Select
          options={options}
          value={chosen === '' ? DEFAULT : chosen}
          onChange={(value) => {
            form.clearErrors('from');
            form.setValue('domain', value === DEFAULT ? '' : value, { shouldDirty: true });
          }}
        />
      </Field>
    </div>
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
