import { NAME_PATTERN } from '@jobline/contracts';
import type { ReactNode } from 'react';
import type { UseFormReturn } from 'react-hook-form';
import { Field, Input, linkClasses, Textarea, type TextareaProps, type UndoOffer } from '../../ui/index.js';
import { isSampleText, payloadError, SAMPLES, sampleText } from './payload.js';

interface WithJob {
  type: string;
  /** JSON text. */
  payload: string;
}

interface JobFieldsProps<T extends WithJob> {
  form: UseFormReturn<T>;
  /** It can restore the payload that the user had written, when an example has replaced that payload. */
  undo: UndoOffer;
}

/** The type and the payload of a job. An unchanged example payload follows the type. */
export function JobFields<T extends WithJob>(props: JobFieldsProps<T>) {
  const { undo } = props;
  const form = props.form as unknown as UseFormReturn<WithJob>; // a part of T, by its bound
  const { errors } = form.formState;
  const type = form.watch('type');
  const putExample = (of: string) => {
    const before = form.getValues('payload');
    if (!isSampleText(before)) undo.offer('The payload was replaced', () => form.setValue('payload', before));
    form.setValue('payload', sampleText(of), { shouldDirty: true, shouldValidate: errors.payload !== undefined });
  };
  return (
    <>
      {undo.note}
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
      <PayloadField
        input={form.register('payload', PAYLOAD_RULES)}
        error={errors.payload?.message}
        aside={
          <button type="button" onClick={() => putExample(type)} className={linkClasses}>
            {SAMPLES[type] ? 'Use the example' : 'Clear'}
          </button>
        }
      />
    </>
  );
}

/** The options with which a form registers the input. */
export const PAYLOAD_RULES = { validate: (text: string) => payloadError(text) ?? true };

interface PayloadFieldProps {
  /** The result of react-hook-form's `register('payload', PAYLOAD_RULES)`. */
  input: TextareaProps;
  error: string | undefined;
  /** Content at the end of the label's line. */
  aside?: ReactNode;
}

/** The payload of a job, as JSON. */
export function PayloadField({ input, error, aside }: PayloadFieldProps) {
  return (
    <Field label="Payload" error={error} required aside={aside}>
      <Textarea mono grow rows={8} spellCheck={false} autoCapitalize="off" className="max-h-[50vh]" {...input} />
    </Field>
  );
}
