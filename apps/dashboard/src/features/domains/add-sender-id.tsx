import { useQueryClient } from '@tanstack/react-query';
import { useForm } from 'react-hook-form';
import { useApi } from '../../services.js';
import { FormDialog } from '../../shell/form-dialog.js';
import { Field, Input, toast } from '../../ui/index.js';

export function AddSenderId({ onClose }: { onClose: () => void }) {
  const api = useApi();
  const queries = useQueryClient();
  const form = useForm({ defaultValues: { sender_id: '' } });
  return (
    <FormDialog
      title="Add sender ID"
      description="The name or number that SMS come from. Register it with your SMS provider too, because networks reject unknown sender IDs."
      action="Add sender ID"
      form={form}
      onClose={onClose}
      onSubmit={async (body) => {
        const { status } = await api.call('createSenderId', { body });
        await queries.invalidateQueries({ queryKey: ['listSenderIds'] });
        if (status === 'pending') toast.success('Added. It can be used once the operator approves it.');
        onClose();
      }}
    >
      <Field
        label="Sender ID"
        hint="Up to 11 letters, digits, spaces and & . _ - with at least one letter; or a phone number, such as +254700000001."
        error={form.formState.errors.sender_id?.message}
        required
      >
        <Input
          autoComplete="off"
          spellCheck={false}
          placeholder="ACME"
          {...form.register('sender_id', { required: 'Enter a name or a number.' })}
        />
      </Field>
    </FormDialog>
  );
}
