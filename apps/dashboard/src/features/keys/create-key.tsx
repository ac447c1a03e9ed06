import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useForm } from 'react-hook-form';
import { type Schemas, take } from '../../api/api-client.js';
import { useWarning } from '../../drafts/use-draft.js';
import { useApi } from '../../services.js';
import { ConfirmLeave } from '../../shell/confirm-leave.js';
import { FormDialog } from '../../shell/form-dialog.js';
import { Button, Field, Input } from '../../ui/index.js';
import { NewKey } from './new-key.js';
import { KEYS_KEY } from './use-keys.js';

/**
 * A name, then the key. The key lives in this component's state and nowhere else: no cache, no storage, no address.
 * `onClose` goes to another address, so that closing is asked about as all other leaving is.
 */
export function CreateKey({ onClose }: { onClose: () => void }) {
  const api = useApi();
  const queries = useQueryClient();
  const [made, setMade] = useState<Schemas['NewApiKey'] | null>(null);
  const [isCopied, setCopied] = useState(false);
  const form = useForm({ defaultValues: { name: '' } });
  // Of a key that is being made nothing is known yet, and it may be there already.
  const wouldLose = form.formState.isSubmitting || (made !== null && !isCopied);
  useWarning(wouldLose);
  return (
    <>
      <FormDialog
        title="Create key"
        description="For programs: they send it as the header X-API-Key."
        action="Create key"
        form={form}
        onClose={onClose}
        onSubmit={async (body) => {
          setMade(await take(api.POST('/org/api-keys', { body })));
          void queries.invalidateQueries({ queryKey: KEYS_KEY });
        }}
        result={
          made && {
            title: `Key “${made.name}”`,
            description: 'Copy it now. Only its hash is kept, so it cannot be shown again.',
            body: <NewKey value={made.key} onCopied={() => setCopied(true)} />,
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
          hint="What will use it, such as backend or nightly import."
          error={form.formState.errors.name?.message}
          required
        >
          <Input autoComplete="off" {...form.register('name', { required: 'Give it a name.' })} />
        </Field>
      </FormDialog>
      <ConfirmLeave when={wouldLose} title="Close without the key?" verb="Close without it" cancel="Go back">
        It was not copied, and it cannot be shown again. You would have to revoke it and create another.
      </ConfirmLeave>
    </>
  );
}
