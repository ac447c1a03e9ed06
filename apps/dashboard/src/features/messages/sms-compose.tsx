import { MAX_PAGE_LIMIT, MESSAGE_LIMITS } from '@jobline/contracts';
import { Link } from '@tanstack/react-router';
import { type UseFormReturn, useController } from 'react-hook-form';
import { useList } from '../../api/use-list.js';
import { formatCount } from '../../format/index.js';
import { useDefaultSender } from '../../product/message/default-sender.js';
import { DeliveryFields } from '../../product/message/delivery-fields.js';
import { RECORDED, SANDBOX } from '../../product/message/message-status.js';
import { SegmentCounter } from '../../product/segment-counter.js';
import { useCan } from '../../session/use-session.js';
import { Button, Callout, Field, Input, linkClasses, Panel, Select, Textarea } from '../../ui/index.js';
import { DEFAULT_SENDER, plainNumber, type SmsDraft } from './draft.js';
import { SendError } from './send-error.js';
import { ComposeDialogs, TemplateMenu } from './template-picker.js';
import type { Composing } from './use-compose.js';

const RULES = {
  to: {
    required: 'Enter the phone number of the recipient.',
    validate: (to: string) =>
      /^\+[1-9]\d{6,14}$/.test(plainNumber(to)) || 'Start with + and the country code, such as +254700000000.',
  },
  message: {
    required: 'Enter the message.',
    maxLength: {
      value: MESSAGE_LIMITS.smsLength,
      message: 'A message can have at most 16,000 characters (100 segments).',
    },
  },
} as const;

/** The form for an SMS: recipient, sender, message and delivery. It is kept as a draft until it is sent. */
export function SmsCompose({ composing }: { composing: Composing<SmsDraft> }) {
  const { form, values, isDirty, accepted } = composing;
  const { errors } = form.formState;
  const write = (message: string) => form.setValue('message', message, { shouldValidate: form.formState.isSubmitted });
  const kept = isDirty && (
    <>
      <span className="text-meta text-muted">Draft kept in this tab</span>
      <Button size="small" variant="ghost" onClick={() => composing.discardDraft()}>
        Discard
      </Button>
    </>
  );
  return (
    <Panel title="Compose" actions={kept}>
      <form noValidate {...composing.formEvents} className="flex flex-col gap-4">
        <div className="grid gap-4 sm:grid-cols-2">
          <Field label="To" error={errors.to?.message} hint="Start with + and the country code." required>
            <Input type="tel" exact mono placeholder="+254700000000" {...form.register('to', RULES.to)} />
          </Field>
          <SmsFrom form={form} />
        </div>
        <div className="flex flex-col gap-2">
          <Field label="Message" error={errors.message?.message} aside={<TemplateMenu channel="sms" />} required>
            <Textarea rows={6} {...form.register('message', RULES.message)} />
          </Field>
          <SegmentCounter text={values.message} onReplace={write} />
          {composing.undoNote}
        </div>
        <DeliveryFields form={form} />
        {accepted && <Accepted {...accepted} />}
        <SendError {...composing} />
        <div className="flex flex-wrap items-center justify-end gap-3">
          <span className="mr-auto text-meta text-muted max-sm:hidden">Ctrl+Enter</span>
          <Button onClick={composing.startTest}>Send test</Button>
          <Button type="submit" variant="primary" busy={composing.isSubmitting} className="max-sm:w-full">
            {values.delivery === 'queue' ? 'Queue SMS' : 'Send SMS'}
          </Button>
        </div>
      </form>
      {/* Its dialogs have their own forms, so they must be outside this one. */}
      <ComposeDialogs {...composing} />
    </Panel>
  );
}

/** Selects a registered sender ID or the provider's default sender. */
function SmsFrom({ form }: { form: UseFormReturn<SmsDraft> }) {
  const { value, onChange, ref } = useController({ control: form.control, name: 'from' }).field;
  const message = form.formState.errors.from?.message;
  const can = useCan();
  const byDefault = useDefaultSender('sms');
  const { rows, error: failure } = useList('listSenderIds', { limit: MAX_PAGE_LIMIT });
  const known = rows?.filter(({ status }) => status !== 'pending').map(({ sender_id }) => sender_id) ?? [];
  const isUnknown = value !== DEFAULT_SENDER && !known.includes(value);
  const options = [
    { value: DEFAULT_SENDER, label: 'Default sender', hint: byDefault },
    ...known.map((id) => ({ value: id, label: id })),
    ...(isUnknown ? [{ value, label: value, ...(rows && { hint: 'Not registered or approved here' }) }] : []),
  ];
  const howTo = can('senders') ? (
    <Link to="/domains" search={{ tab: 'sender-ids' }} className={linkClasses}>
      Register a sender ID
    </Link>
  ) : (
    'Owners and admins can register sender IDs.'
  );
  const state = failure
    ? 'The sender IDs could not be loaded. You can still use the default sender.'
    : rows && known.length === 0
      ? howTo
      : value !== DEFAULT_SENDER && 'A sender ID of your organization.';
  const hint = (
    <>
      {value === DEFAULT_SENDER && byDefault && (
        <span className="block wrap-anywhere">Default sender: {byDefault}</span>
      )}
      {state}
    </>
  );
  return (
    <Field
      label="From"
      error={message && `${message} Choose another sender ID, or register it under Domains, Sender IDs.`}
      hint={hint}
    >
      <Select options={options} value={value} onChange={onChange} ref={ref} />
    </Field>
  );
}

/** What was done with the last SMS, below its form. */
function Accepted({ sent: { message, jobId }, to }: NonNullable<Composing<SmsDraft>['accepted']>) {
  if (!message) {
    return (
      <Callout role="status" title={`Queued for ${to}`}>
        It appears in the history when a worker has started it.{' '}
        <Link to="/job/$id" params={{ id: jobId }} className={linkClasses}>
          Follow the job
        </Link>
      </Callout>
    );
  }
  const { id, provider, segments = 1 } = message;
  const isSandbox = provider === SANDBOX;
  return (
    <Callout
      role="status"
      tone={isSandbox ? 'warning' : 'info'}
      title={`${isSandbox ? RECORDED.word : 'Sent'}: ${to}, ${formatCount(segments, 'segment')}`}
    >
      {isSandbox && 'No SMS provider is configured, so the sandbox recorded the SMS. '}
      <Link from="/sms" to="/sms" search={(before) => ({ ...before, id })} resetScroll={false} className={linkClasses}>
        Delivery report
      </Link>
    </Callout>
  );
}
