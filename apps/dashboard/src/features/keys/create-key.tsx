import type { Schemas } from '@jobline/client';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useForm } from 'react-hook-form';
import { useUnloadWarning } from '../../drafts/use-unload-warning.js';
import { useApi } from '../../services.js';
import { ConfirmLeave } from '../../shell/confirm-leave.js';
import { FormDialog } from '../../shell/form-dialog.js';
import { Button, Field, Input } from '../../ui/index.js';
import { NewKey } from './new-key.js';

/**
 * Asks for a name and shows the new key. The key is only in this component's state: not in a cache, storage or URL.
 * `onClose` navigates, so that the same question protects closing and every other way of leaving.
 */
export function CreateKey({ onClose }: { onClose: () => void }) {
  const api = useApi();
  const queries = useQueryClient();
  const [created, setCreated] = useState<Schemas['NewApiKey'] | null>(null);
  const [isCopied, setCopied] = useState(false);
  const form = useForm({ defaultValues: { name: '' } });
  // While the request runs, the key may already exist although its value has not arrived.
  const wouldLose = form.formState.isSubmitting || (created !== null && !isCopied);
  useUnloadWarning(wouldLose);
  return (
    <>
      <FormDialog
        title="Create key"
        description="Programs send the key in the header X-API-Key."
        action="Create key"
        form={form}
        onClose={onClose}
        onSubmit={async (body) => {
          setCreated(await api.keys.create(body));
          void queries.invalidateQueries({ queryKey: ['listApiKeys'] });
        }}
        result={
          created && {
            title: `Key “${created.name}”`,
            description: 'Copy the key now. Only its hash is stored, so it cannot be shown again.',
            body: <NewKey value={created.key} onCopied={() => setCopied(true)} />,
            footer: (
              <Button variant={isCopied ? 'primary' : 'secondary'} onClick={onClose}>
                Done
              </Button>
            ),
          }
        }
      >
        <Field
          label="Name"
          hint="The program that will use it, such as backend or nightly import."
          error={form.formState.errors.name?.message}
          required
        >
          <Input autoComplete="off" {...form.register('name', { required: 'Enter a name.' })} />
        </Field>
      </FormDialog>
      <ConfirmLeave when={wouldLose} title="Close without the key?" verb="Close without it" cancel="Go back">
        The key was not copied, and it cannot be shown again. You would have to revoke it and create another one.
      </ConfirmLeave>
    </>
  );
}
