import type { UseFormRegisterReturn } from 'react-hook-form';
import { Field, Input } from '../../ui/index.js';

interface TextProps {
  registration: UseFormRegisterReturn;
  error: string | undefined;
}

export const required = (what: string) => ({ required: `Enter ${what}.` });

export function EmailField({ registration, error, readOnly }: TextProps & { readOnly?: boolean }) {
  return (
    <Field label="Email" error={error} required>
      <Input
        type="email"
        inputMode="email"
        autoComplete="username"
        autoCapitalize="none"
        spellCheck={false}
        readOnly={readOnly}
        {...registration}
      />
    </Field>
  );
}
