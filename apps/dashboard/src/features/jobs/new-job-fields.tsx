import { LIMITS, NAME_PATTERN } from '@jobline/contracts';
import type { UseFormReturn } from 'react-hook-form';
import { retriesError } from '../../product/message/retries.js';
import { RunAtField } from '../../product/message/run-at-field.js';
import { Field, Input, linkClasses, Textarea } from '../../ui/index.js';
import { isSampleText, SAMPLES, sampleText } from './samples.js';
import { type JobForm, payloadError } from './submission.js';

export interface NewJobFieldsProps {
  form: UseFormReturn<JobForm>;
  /** Called with the payload that the user had written, when an example replaces that payload. */
  onReplaced: (payload: string) => void;
}

export function NewJobFields({ form, onReplaced }: NewJobFieldsProps) {
  const { errors } = form.formState;
  const type = form.watch('type');
  const putExample = (of: string) => {
    const before = form.getValues('payload');
    if (!isSampleText(before)) onReplaced(before);
    form.setValue('payload', sampleText(of), { shouldDirty: true, shouldValidate: errors.payload !== undefined });
  };
  return (
    <>
      <Field
        label="Type"
        error={errors.type?.message}
        hint="A built-in type, or one that your workers handle."
        required
      >
        <Input
          type="search"
          autoComplete="off"
          spellCheck={false}
          suggestions={Object.keys(SAMPLES)}
          {...form.register('type', {
            validate: (value) => NAME_PATTERN.test(value) || 'Select a type, or enter 1 to 128 of A–Z a–z 0–9 . _ : -',
            onChange: () => isSampleText(form.getValues('payload')) && putExample(form.getValues('type')),
          })}
        />
      </Field>
      <Field
        label="Payload"
        error={errors.payload?.message}
        required
        aside={
          <button type="button" onClick={() => putExample(type)} className={linkClasses}>
            {SAMPLES[type] ? 'Use the example' : 'Clear'}
          </button>
        }
      >
        <Textarea
          mono
          grow
          rows={8}
          spellCheck={false}
          autoCapitalize="off"
          className="max-h-[50vh]"
          {...form.register('payload', { validate: (text) => payloadError(text) ?? true })}
        />
      </Field>
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
