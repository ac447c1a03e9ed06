import type { UseFormRegisterReturn } from 'react-hook-form';
import { Field, PasswordInput } from '../ui/index.js';

const LEAST_CHARACTERS = 8;
/** bcrypt reads no more, so more is refused rather than cut. */
const MOST_BYTES = 72;
const WARN_FROM_BYTES = 64;

/** The rules of a password that is chosen here. */
export const newPassword = {
  required: 'Choose a password.',
  validate: (password: string) => {
    if ([...password].length < LEAST_CHARACTERS) return `At least ${LEAST_CHARACTERS} characters.`;
    return bytesOf(password) <= MOST_BYTES || `At most ${MOST_BYTES} bytes; this is ${bytesOf(password)}.`;
  },
};

export interface NewPasswordFieldProps {
  registration: UseFormRegisterReturn;
  error: string | undefined;
  /** What is typed so far: near the limit the hint counts. */
  value: string;
  label?: string;
  hint?: string;
}

export function NewPasswordField({ registration, error, value, label = 'Password', hint }: NewPasswordFieldProps) {
  const bytes = bytesOf(value);
  const counted = `${bytes} of at most ${MOST_BYTES} bytes. Letters beyond a–z count two to four.`;
  return (
    <Field
      label={label}
      error={error}
      hint={bytes >= WARN_FROM_BYTES ? counted : (hint ?? `At least ${LEAST_CHARACTERS} characters.`)}
      required
    >
      <PasswordInput autoComplete="new-password" {...registration} />
    </Field>
  );
}

function bytesOf(text: string): number {
  return new TextEncoder().encode(text).length;
}
