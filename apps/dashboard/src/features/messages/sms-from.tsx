import { Link } from '@tanstack/react-router';
import type { Ref } from 'react';
import { useList } from '../../api/use-list.js';
import { useCan } from '../../session/use-session.js';
import { Field, linkClasses, Select } from '../../ui/index.js';
import { DEFAULT_SENDER } from './sms-draft.js';

export interface FromFieldProps {
  value: string;
  onChange: (value: string) => void;
  error: string | undefined;
  ref: Ref<HTMLButtonElement>;
}

/** Selects a registered sender ID or the provider's default sender. */
export function FromField({ value, onChange, error, ref }: FromFieldProps) {
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
      error={error && `${error} Choose another sender ID, or register it under Domains, Sender IDs.`}
      hint={hint}
    >
      <Select options={options} value={value} onChange={onChange} ref={ref} />
    </Field>
  );
}
