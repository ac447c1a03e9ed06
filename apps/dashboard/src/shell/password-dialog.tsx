import { useEffect, useState } from 'react';
import { useForm } from 'react-hook-form';
import { take } from '../api/api-client.js';
import { showErrors } from '../forms.js';
import { useApi } from '../services.js';
import { Button, Callout, Dialog, Field, PasswordInput, toast } from '../ui/index.js';

export function PasswordDialog({ open, onClose }: { open: boolean; onClose: () => void }) {
  return (
    <Dialog
      open={open}
      onOpenChange={(next) => !next && onClose()}
      title="Change password"
      description="You stay signed in here and are signed out everywhere else."
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" form="change-password" variant="primary">
            Change password
          </Button>
        </>
      }
    >
      {open && <ChangePassword onDone={onClose} />}
    </Dialog>
  );
}

function ChangePassword({ onDone }: { onDone: () => void }) {
  const api = useApi();
  const [refusal, setRefusal] = useState<string | null>(null);
  const form = useForm({ defaultValues: { current_password: '', new_password: '' } });
  const { errors } = form.formState;
  useEffect(() => form.setFocus('current_password'), [form]);
  const submit = form.handleSubmit(async (values) => {
    setRefusal(null);
    try {
      await take(api.POST('/auth/password', { body: values }));
      toast.success('The password is changed');
      onDone();
    } catch (error) {
      setRefusal(showErrors(form, error));
    }
  });
  return (
    <form id="change-password" noValidate onSubmit={(event) => void submit(event)} className="flex flex-col gap-4">
      {refusal !== null && (
        <Callout tone="danger" role="alert">
          {refusal}
        </Callout>
      )}
      <Field label="Current password" error={errors.current_password?.message} required>
        <PasswordInput
          autoComplete="current-password"
          {...form.register('current_password', { required: 'Enter the password you have now.' })}
        />
      </Field>
      <Field label="New password" hint="At least 8 characters." error={errors.new_password?.message} required>
        <PasswordInput
          autoComplete="new-password"
          {...form.register('new_password', { required: 'Choose a password.' })}
        />
      </Field>
    </form>
  );
}
