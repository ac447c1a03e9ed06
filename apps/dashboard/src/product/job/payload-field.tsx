import type { ReactNode } from 'react';
import { Field, Textarea, type TextareaProps } from '../../ui/index.js';
import { payloadError } from './payload-text.js';

/** The options with which a form registers the input. */
export const PAYLOAD_RULES = { validate: (text: string) => payloadError(text) ?? true };

export interface PayloadFieldProps {
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
