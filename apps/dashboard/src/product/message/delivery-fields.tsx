import { LIMITS } from '@jobline/contracts';
import type { ReactNode } from 'react';
import { Field, Input, type InputProps, RadioGroup } from '../../ui/index.js';

export type Delivery = 'now' | 'queue';

export interface DeliveryFieldsProps {
  value: Delivery;
  onChange: (value: Delivery) => void;
  /** The properties of the field for a number of retries. */
  retries: InputProps;
  retriesError: string | undefined;
  /** The field for when a queued one goes out. */
  runAt: ReactNode;
}

const OPTIONS = [
  { value: 'now', label: 'Send now', hint: 'Once, while you wait; you see what the provider says.' },
  { value: 'queue', label: 'Queue with retries or for later', hint: 'A job sends it, and tries again if it fails.' },
] as const;

/** At once, or by a job that tries again and may wait for its time. */
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
