import { useForm } from 'react-hook-form';
import { useApi } from '../services.js';
import { Field, PasswordInput, toast } from '../ui/index.js';
import { FormDialog } from './form-dialog.js';
import { NewPasswordField, newPassword } from './new-password.js';

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
