import { LIMITS } from '@jobline/contracts';
import type { ReactNode } from 'react';
import { Field, Input, type InputProps, RadioGroup } from '../../ui/index.js';

export type Delivery = 'now' | 'queue';

export interface DeliveryFieldsProps {
  value: Delivery;
  onChange: (value: Delivery) => void;
  /** The properties of the field for the number of retries. */
  retries: InputProps;
  retriesError: string | undefined;
  /** The field for the time at which a queued message is sent. */
  runAt: ReactNode;
}

const OPTIONS = [
  { value: 'now', label: 'Send now', hint: 'One attempt while you wait. You see the answer of the provider.' },
  {
    value: 'queue',
    label: 'Queue with retries or for later',
    hint: 'A job sends the message and retries if sending fails.',
  },
] as const;

/** The choice between sending now and sending by a job, which retries and can be scheduled. */
export function DeliveryFields({ value, onChange, retries, retriesError, runAt }: DeliveryFieldsProps) {
  return (
    <div className="flex flex-col gap-3">
      <RadioGroup label="Delivery" value={value} onChange={onChange} options={OPTIONS} />
      {value === 'queue' && (
        <div className="flex items-start gap-4 pl-6 max-sm:flex-col">
          <Field
            label="Retries"
            error={retriesError}
            hint={`0 to ${LIMITS.maxRetries}.`}
            className="w-full sm:w-32 sm:shrink-0"
          >
            <Input inputMode="numeric" {...retries} />
          </Field>
          {runAt}
        </div>
      )}
    </div>
  );
}
