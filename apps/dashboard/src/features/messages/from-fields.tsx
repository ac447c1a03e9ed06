import { Link } from '@tanstack/react-router';
import { type UseFormReturn, useController } from 'react-hook-form';
import { useList } from '../../api/use-list.js';
import { useCan } from '../../session/use-session.js';
import { Field, Input, linkClasses, type Option, Select } from '../../ui/index.js';
import { DEFAULT_SENDER, type EmailDraft, type SmsDraft } from './model.js';

/** Stands for the empty value, which Radix does not allow. */
const DEFAULT = 'default';
const MAX_DOMAINS = 1_000;

/** The sender: the default sender, or a name at a verified domain of the organization. */
export function EmailFrom({ form }: { form: UseFormReturn<EmailDraft> }) {
  const can = useCan();
  const domains = useList('listDomains', { limit: MAX_DOMAINS });
  const chosen = form.watch('domain');
  const error = form.formState.errors.from?.message;
  const pending = domains.rows?.filter(({ status }) => status === 'pending') ?? [];
  const options: Option[] = [
    { value: DEFAULT, label: 'Default sender' },
    ...(domains.rows ?? []).map(({ domain, status }) =>
      status === 'verified'
        ? { value: domain, label: `@${domain}` }
        : { value: domain, label: `@${domain}`, hint: 'Pending: not verified yet', disabled: true },
    ),
  ];
  // A chosen domain that was removed since stays in the list. The API returns the error for it.
  if (chosen !== '' && !options.some(({ value }) => value === chosen))
    options.push({ value: chosen, label: `@${chosen}` });
  const hint = domains.error ? (
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

/** Selects a registered sender ID or the provider's default sender. */
export function SmsFrom({ form }: { form: UseFormReturn<SmsDraft> }) {
  const { value, onChange, ref } = useController({ control: form.control, name: 'from' }).field;
  const message = form.formState.errors.from?.message;
  const can = useCan();
  const { rows, error: failure } = useList('listSenderIds', { limit: 1_000 });
  const known = rows?.filter(({ status }) => status !== 'pending').map(({ sender_id }) => sender_id) ?? [];
  const isUnknown = value !== DEFAULT_SENDER && !known.includes(value);
  const options = [
    { value: DEFAULT_SENDER, label: 'Default sender', hint: "The provider's default" },
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
  const hint = failure
    ? 'The sender IDs could not be loaded. You can still use the default sender.'
    : rows && known.length === 0
      ? howTo
      : 'A sender ID of your organization.';
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
