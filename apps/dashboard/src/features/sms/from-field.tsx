import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Ref } from 'react';
import { takePage } from '../../api/api-client.js';
import { useApi } from '../../services.js';
import { useCan } from '../../session/use-session.js';
import { Field, linkClasses, Select } from '../../ui/index.js';
import { DEFAULT_SENDER } from './compose-form.js';

export interface FromFieldProps {
  value: string;
  onChange: (value: string) => void;
  error: string | undefined;
  ref: Ref<HTMLButtonElement>;
}

/** The registered sender ids, and the provider's default. */
export function FromField({ value, onChange, error, ref }: FromFieldProps) {
  const api = useApi();
  const can = useCan();
  const { data, error: failure } = useQuery({
    queryKey: ['sender-ids', 'of sms'],
    queryFn: ({ signal }) => takePage(api.GET('/org/sender-ids', { params: { query: { limit: 1_000 } }, signal })),
  });
  const known = data?.items.filter(({ status }) => status !== 'pending').map(({ sender_id }) => sender_id) ?? [];
  const isUnknown = value !== DEFAULT_SENDER && !known.includes(value);
  const options = [
    { value: DEFAULT_SENDER, label: 'Default sender', hint: "The provider's own" },
    ...known.map((id) => ({ value: id, label: id })),
    ...(isUnknown ? [{ value, label: value, ...(data && { hint: 'Not registered or approved here' }) }] : []),
  ];
  const howTo = can('senders') ? (
    <Link to="/domains" search={{ tab: 'sender-ids' }} className={linkClasses}>
      Register a sender id
    </Link>
  ) : (
    'Owners and admins register sender ids.'
  );
  const hint = failure
    ? 'The sender ids could not be loaded; the default sender works.'
    : data && known.length === 0
      ? howTo
      : 'A sender id of your organization.';
  return (
    <Field
      label="From"
      error={error && `${error} Choose another one, or have it registered under Domains, Sender IDs.`}
      hint={hint}
    >
      <Select options={options} value={value} onChange={onChange} ref={ref} />
    </Field>
  );
}
