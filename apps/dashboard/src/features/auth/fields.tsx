import type { FieldError, UseFormRegisterReturn } from 'react-hook-form';
import { Field, Input } from '../../ui/index.js';

export const required = (what: string) => ({ required: `Enter ${what}.` });

export const emailRequired = required('your email address');

export function EmailField({ input, error }: { input: UseFormRegisterReturn; error: FieldError | undefined }) {
  return (
    <Field label="Email" error={error?.message} required>
      <Input
        type="email"
        inputMode="email"
        autoComplete="username"
        autoCapitalize="none"
        spellCheck={false}
        {...input}
      />
    </Field>
  );
}
