import type { ApiKey } from '@jobline/client';
import { useForm } from 'react-hook-form';
import { FormDialog } from '../../shell/form-dialog.js';
import { fieldOf, KeyFields } from './create-key.js';
import { changesOf, type KeyValues, valuesOf } from './model.js';
import { useChangeKey } from './queries.js';

/** Changes what a key may do, its name and its expiry. */
export function ChangeKey({ changed, onClose }: { changed: ApiKey; onClose: () => void }) {
  const change = useChangeKey(changed.id);
  const form = useForm<KeyValues>({ defaultValues: valuesOf(changed) });
  return (
    <FormDialog
      side="right"
      title={`Change “${changed.name}”`}
      description="Programs with the key notice the change within five seconds."
      action="Save"
      form={form}
      dismissable={!form.formState.isDirty}
      fieldOf={fieldOf(form)}
      onClose={onClose}
      onSubmit={async (values) => {
        await change(changesOf(changed, values, Date.now()));
        onClose();
      }}
    >
      <KeyFields form={form} />
    </FormDialog>
  );
}
