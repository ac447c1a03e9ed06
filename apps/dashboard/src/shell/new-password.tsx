import { type UseFormRegisterReturn, useForm } from 'react-hook-form';
import { useApi } from '../services.js';
import { Field, PasswordInput, toast } from '../ui/index.js';
import { FormDialog } from './form-dialog.js';

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

interface NewPasswordFieldProps {
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

export function PasswordDialog({ onClose }: { onClose: () => void }) {
  const api = useApi();
  const form = useForm({ defaultValues: { current_password: '', new_password: '' } });
  const { errors } = form.formState;
  return (
    <FormDialog
      title="Change password"
      description="You stay signed in here and are signed out everywhere else."
      action="Change password"
      form={form}
      onClose={onClose}
      onSubmit={async (body) => {
        await api.call('changePassword', { body });
        toast.success('The password is changed');
        onClose();
      }}
    >
      <Field label="Current password" error={errors.current_password?.message} required>
        <PasswordInput
          autoComplete="current-password"
          {...form.register('current_password', { required: 'Enter the password you have now.' })}
        />
      </Field>
      <NewPasswordField
        label="New password"
        registration={form.register('new_password', newPassword)}
        error={errors.new_password?.message}
        value={form.watch('new_password')}
      />
    </FormDialog>
  );
}
