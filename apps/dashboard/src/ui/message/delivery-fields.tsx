import { LIMITS } from '@jobline/contracts';
import { DateTimeInput, type DateTimeInputProps } from '../date-time-input.js';
import { Field } from '../field.js';
import { Input, type InputProps } from '../input.js';
import { RadioGroup } from '../radio-group.js';

export type Delivery = 'now' | 'queue';

export interface DeliveryFieldsProps {
  value: Delivery;
  onChange: (value: Delivery) => void;
  /** The properties of the field for a number of retries. */
  retries: InputProps;
  /** Null is at once. */
  runAt: Pick<DateTimeInputProps, 'value' | 'onChange' | 'ref'>;
  faults: { retries?: string | undefined; runAt?: string | undefined };
}

const OPTIONS = [
  { value: 'now', label: 'Send now', hint: 'Once, while you wait; you see what the provider says.' },
  { value: 'queue', label: 'Queue with retries or for later', hint: 'A job sends it, and tries again if it fails.' },
] as const;

/** At once, or by a job that tries again and may wait for its time. */
export function DeliveryFields({ value, onChange, retries, runAt, faults }: DeliveryFieldsProps) {
  return (
    <div className="flex flex-col gap-3">
      <RadioGroup label="Delivery" value={value} onChange={onChange} options={OPTIONS} />
      {value === 'queue' && (
        <div className="flex items-start gap-4 pl-6 max-sm:flex-col">
          <Field
            label="Retries"
            error={faults.retries}
            hint={`0 to ${LIMITS.maxRetries}.`}
            className="w-full sm:w-32 sm:shrink-0"
          >
            <Input inputMode="numeric" {...retries} />
          </Field>
          <Field label="Not before" error={faults.runAt} className="w-full flex-1">
            <DateTimeInput {...runAt} />
          </Field>
        </div>
      )}
    </div>
  );
}
