import { PASSWORD_LIMITS } from '@jobline/contracts';
import { type FieldPath, type FieldValues, type RegisterOptions, type UseFormReturn, useForm } from 'react-hook-form';
import { useApi } from '../services.js';
import { Field, PasswordInput, toast } from '../ui/index.js';
import { FormDialog } from './form-dialog.js';

/** bcrypt ignores further bytes, so longer passwords are rejected instead of cut. */
const { minLength, maxBytes } = PASSWORD_LIMITS;
const WARN_FROM_BYTES = 64;

/** The validation rules for a new password. */
export const newPassword = {
  required: 'Choose a password.',
  validate: (password: string) => {
    if ([...password].length < minLength) return `At least ${minLength} characters.`;
    return bytesOf(password) <= maxBytes || `At most ${maxBytes} bytes; this is ${bytesOf(password)}.`;
  },
};

interface NewPasswordFieldProps<T extends FieldValues, Name extends FieldPath<T>> {
  form: UseFormReturn<T>;
  name: Name;
  rules: RegisterOptions<T, Name>;
  label?: string;
}

/** Near the limit, the hint shows the number of bytes. */
export function NewPasswordField<T extends FieldValues, Name extends FieldPath<T>>(
  props: NewPasswordFieldProps<T, Name>,
) {
  const { form, name, rules, label = 'Password' } = props;
  const { error } = form.getFieldState(name, form.formState);
  const bytes = bytesOf(String(form.watch(name)));
  const counted = `${bytes} of at most ${maxBytes} bytes. Characters outside ASCII count as two to four bytes.`;
  return (
    <Field
      label={label}
      error={error?.message}
      hint={bytes >= WARN_FROM_BYTES ? counted : `At least ${minLength} characters.`}
      required
    >
      <PasswordInput autoComplete="new-password" {...form.register(name, rules)} />
    </Field>
  );
}

function bytesOf(text: string): number {
  return new TextEncoder().encode(text).length;
}

export function PasswordDialog({ onClose }: { onClose: () => void }) {
  const api = useApi();
  const form = useForm({ defaultValues: { current_password: '', new_password: '' } });
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
      <Field label="Current password" error={form.formState.errors.current_password?.message} required>
        <PasswordInput
          autoComplete="current-password"
          {...form.register('current_password', { required: 'Enter the password you have now.' })}
        />
      </Field>
      <NewPasswordField form={form} name="new_password" rules={newPassword} label="New password" />
    </FormDialog>
  );
}
