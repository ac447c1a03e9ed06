import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useForm } from 'react-hook-form';
import { useApi } from '../../services.js';
import { FormDialog } from '../../shell/form-dialog.js';
import { Field, Input } from '../../ui/index.js';

/** Adds a domain and opens its row, which shows the DNS record to publish. */
export function AddDomain({ onClose }: { onClose: () => void }) {
  const api = useApi();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const form = useForm({ defaultValues: { domain: '' } });
  return (
    <FormDialog
      title="Add domain"
      description="To prove that the domain is yours, you publish a TXT record, which is shown in the next step."
      action="Add domain"
      form={form}
      onClose={onClose}
      onSubmit={async (body) => {
        const { id } = await api.call('createDomain', { body });
        await queries.invalidateQueries({ queryKey: ['listDomains'] });
        onClose();
        void navigate({ to: '/domains', search: { id }, replace: true });
      }}
    >
      <Field
        label="Domain"
        hint="The part after the @, such as acme.com or mail.acme.com."
        error={form.formState.errors.domain?.message}
        required
      >
        <Input
          inputMode="url"
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          placeholder="acme.com"
          {...form.register('domain', { required: 'Enter a domain, such as acme.com.' })}
        />
      </Field>
    </FormDialog>
  );
}
