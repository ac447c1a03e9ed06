import { MAX_PAGE_LIMIT } from '@jobline/contracts';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { UseFormReturn } from 'react-hook-form';
import { useList } from '../../api/use-list.js';
import { useDefaultSender } from '../../product/message/default-sender.js';
import { DeliveryFields } from '../../product/message/delivery-fields.js';
import { SANDBOX } from '../../product/message/message-status.js';
import { useCan } from '../../session/use-session.js';
import { ControlField } from '../../shell/control-field.js';
import {
  Button,
  Dialog,
  Field,
  Input,
  inTextClasses,
  linkClasses,
  Select,
  TokenInput,
  Tooltip,
  toast,
} from '../../ui/index.js';
import { useLatest } from '../../ui/use-latest.js';
import { RECIPIENT_KINDS } from './channels.js';
import { EMAIL, type EmailDraft, isBlank } from './draft.js';
import { AttachmentsField } from './email-attachments.js';
import { BodyField } from './email-body.js';
import { SendError } from './send-error.js';
import { ComposeDialogs, TemplateMenu } from './template-picker.js';
import { type Composing, useCompose } from './use-compose.js';

const FORM = 'compose-email';

interface EmailComposeProps {
  open: boolean;
  composing: Composing<EmailDraft>;
  onOpen: () => void;
  onClose: () => void;
}

/** The form for an email. Closing keeps the draft and does not stop a running request. */
export function EmailCompose({ open, composing, onOpen, onClose }: EmailComposeProps) {
  const { form, values, isSubmitting } = composing;
  const { errors } = form.formState;
  const copies = useCopies(form);
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
    <Dialog side="right" open={open} onClose={onClose} title="New email" size="wide" footer={footer}>
      <form id={FORM} noValidate {...composing.formEvents} className="flex flex-col gap-4">
        {composing.failure && (
          <div ref={intoView} className="scroll-mt-4">
            <SendError {...composing} />
          </div>
        )}
        <Field label="To" error={errors.to?.message} required aside={copies.toggle}>
          <Input type="email" exact {...form.register('to', { required: 'Enter the recipient’s email address.' })} />
        </Field>
        {copies.fields}
        <EmailFrom form={form} />
        <Field label="Subject" error={errors.subject?.message} required aside={<TemplateMenu channel="email" />}>
          <Input autoComplete="off" {...form.register('subject', { required: 'Enter a subject.' })} />
        </Field>
        <BodyField form={form} />
        {composing.undoNote}
        <AttachmentsField form={form} />
        <DeliveryFields form={form} />
      </form>
      {/* Its dialogs have their own forms, so they must be outside this one. */}
      <ComposeDialogs {...composing} />
    </Dialog>
  );
}

const COPIES = 'email-copies';
/** What people put between addresses when they paste several. */
const BETWEEN_ADDRESSES = /[\s,;]/;

/**
 * The fields for further recipients and for the address of replies, and the button that shows them. They stay while one has
 * a value or an error.
 */
function useCopies(form: UseFormReturn<EmailDraft>) {
  const [isWanted, setIsWanted] = useState(false);
  const { cc, bcc, reply_to } = form.watch();
  const { errors } = form.formState;
  const isNeeded = cc.length + bcc.length > 0 || reply_to !== '' || errors.cc || errors.bcc || errors.reply_to;
  const isOpen = isWanted || Boolean(isNeeded);
  const toggle = isNeeded ? undefined : (
    <button
      type="button"
      aria-expanded={isOpen}
      aria-controls={isOpen ? COPIES : undefined}
      className={`hit ${linkClasses}`}
      onClick={() => setIsWanted(!isWanted)}
    >
      Cc, Bcc, Reply-To
    </button>
  );
  const fields = isOpen && (
    <div id={COPIES} className="flex flex-col gap-4">
      {(['cc', 'bcc'] as const).map((name) => (
        <ControlField key={name} control={form.control} name={name} label={RECIPIENT_KINDS[name]}>
          {({ onChange, ...bound }) => (
            <TokenInput
              {...bound}
              onChange={(value) => {
                form.clearErrors(name);
                onChange(value);
              }}
              separator={BETWEEN_ADDRESSES}
              inputMode="email"
            />
          )}
        </ControlField>
      ))}
      <Field label="Reply-To" error={errors.reply_to?.message} hint="Where replies go, if not to the sender.">
        <Input exact placeholder="Support <support@example.com>" {...form.register('reply_to')} />
      </Field>
    </div>
  );
  return { toggle, fields };
}

/** Stands for the empty value, which Radix does not allow. */
const DEFAULT = 'default';

/** The sender: the default sender, or a name at a verified domain of the organization. */
function EmailFrom({ form }: { form: UseFormReturn<EmailDraft> }) {
  const can = useCan();
  const domains = useList('listDomains', { limit: MAX_PAGE_LIMIT });
  const byDefault = useDefaultSender('email');
  const chosen = form.watch('domain');
  const error = form.formState.errors.from?.message;
  const pending = domains.rows?.filter(({ status }) => status === 'pending') ?? [];
  const isGone = chosen !== '' && !domains.rows?.some(({ domain }) => domain === chosen);
  const options = [
    { value: DEFAULT, label: 'Default sender', hint: byDefault },
    ...(domains.rows ?? []).map(({ domain, status }) =>
      status === 'verified'
        ? { value: domain, label: `@${domain}` }
        : { value: domain, label: `@${domain}`, hint: 'Pending: not verified yet', disabled: true },
    ),
    // A chosen domain that was removed since stays in the list. The API returns the error for it.
    ...(isGone ? [{ value: chosen, label: `@${chosen}` }] : []),
  ];
  const state = domains.error ? (
    'The domains could not be loaded. You can still use the default sender.'
  ) : pending.length > 0 ? (
    <>
      {pending.length === 1 ? `${pending[0]?.domain} is` : `${pending.length} domains are`} pending.{' '}
      {can('senders') ? (
        <Link to="/domains" className={inTextClasses}>
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
            exact
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
export function useEmailCompose(open: boolean, onClose: () => void): Composing<EmailDraft> {
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
