import { LIMITS } from '@jobline/contracts';
import type { UseFormReturn } from 'react-hook-form';
import { JobFields } from '../../product/job/job-fields.js';
import { retriesError } from '../../product/message/retries.js';
import { RunAtField } from '../../product/message/run-at-field.js';
import { Field, Input } from '../../ui/index.js';
import type { JobForm } from './submission.js';

export interface NewJobFieldsProps {
  form: UseFormReturn<JobForm>;
  /** Called with the payload that the user had written, when an example replaces that payload. */
  onReplaced: (payload: string) => void;
}

export function NewJobFields({ form, onReplaced }: NewJobFieldsProps) {
  const { errors } = form.formState;
  return (
    <>
      <JobFields form={form} onReplaced={onReplaced} />
      <div className="grid gap-5 sm:grid-cols-2">
        <Field
          label="Retries"
          error={errors.max_retries?.message}
          hint={`How often a failed job is retried, 0 to ${LIMITS.maxRetries}.`}
        >
          <Input inputMode="numeric" {...form.register('max_retries', { validate: (n) => retriesError(n) ?? true })} />
        </Field>
        <RunAtField control={form.control} />
      </div>
    </>
  );
}
