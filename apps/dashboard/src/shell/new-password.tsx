import type { UseFormRegisterReturn } from 'react-hook-form';
import { Field, PasswordInput } from '../ui/index.js';

const MIN_CHARACTERS = 8;
/** bcrypt ignores further bytes, so longer passwords are rejected instead of cut. */
const MAX_BYTES = 72;
const WARN_FROM_BYTES = 64;

/** The validation rules for a new password. */
export const newPassword = {
  required: 'Choose a password.',
  validate: (password: string) => {
    if ([...password].length < MIN_CHARACTERS) return `At least ${MIN_CHARACTERS} characters.`;
    return bytesOf(password) <= MAX_BYTES || `At most ${MAX_BYTES} bytes; this is ${bytesOf(password)}.`;
  },
};

export interface NewPasswordFieldProps {
  registration: UseFormRegisterReturn;
  error: string | undefined;
  /** The current value. Near the limit, the hint shows the number of bytes. */
  value: string;
  label?: string;
}

export function NewPasswordField({ registration, error, value, label = 'Password' }: NewPasswordFieldProps) {
  const bytes = bytesOf(value);
  const counted = `${bytes} of at most ${MAX_BYTES} bytes. Characters outside ASCII count as two to four bytes.`;
  return (
    <Field
      label={label}
      error={error}
      hint={bytes >= WARN_FROM_BYTES ? counted : `At least ${MIN_CHARACTERS} characters.`}
      required
    >
      <PasswordInput autoComplete="new-password" {...registration} />
    </Field>
  );
}

function bytesOf(text: string): number {
  return new TextEncoder().encode(text).length;
}
