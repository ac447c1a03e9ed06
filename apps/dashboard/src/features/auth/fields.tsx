import type { UseFormReturn } from 'react-hook-form';
import { Field, Input } from '../../ui/index.js';

interface WithEmail {
  email: string;
}

export const required = (what: string) => ({ required: `Enter ${what}.` });

export function EmailField<T extends WithEmail>({ form }: { form: UseFormReturn<T> }) {
  const { register, formState } = form as unknown as UseFormReturn<WithEmail>; // a part of T, by its bound
  return (
    <Field label="Email" error={formState.errors.email?.message} required>
      <Input
        type="email"
        inputMode="email"
        autoComplete="username"
        autoCapitalize="none"
        spellCheck={false}
        {...register('email', required('your email address'))}
      />
    </Field>
  );
}
