import type { ReactNode } from 'react';
import type { UseFormReturn } from 'react-hook-form';
import { Field, Textarea } from '../../ui/index.js';
import { payloadError } from './payload-text.js';

interface WithPayload {
  /** JSON text. */
  payload: string;
}

export interface PayloadFieldProps<T extends WithPayload> {
  form: UseFormReturn<T>;
  /** Content at the end of the label's line. */
  aside?: ReactNode;
}

/** The payload of a job, as JSON. */
export function PayloadField<T extends WithPayload>({ form: any, aside }: PayloadFieldProps<T>) {
  const form = any as unknown as UseFormReturn<WithPayload>; // a part of T, by its bound
  return (
    <Field label="Payload" error={form.formState.errors.payload?.message} required aside={aside}>
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
  );
}
