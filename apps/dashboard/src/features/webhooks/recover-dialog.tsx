import { Controller, useForm } from 'react-hook-form';
import { FormDialog } from '../../shell/form-dialog.js';
import { DateTimeInput, Field, toast } from '../../ui/index.js';
import { useRecover } from './use-webhooks.js';

const DAY_MS = 24 * 3_600_000;

/** Delivers again everything that failed since a time. */
export function RecoverDialog({ id, onClose }: { id: string; onClose: () => void }) {
  const recover = useRecover(id);
  const form = useForm<{ since: string | null }>({
    defaultValues: { since: new Date(Date.now() - DAY_MS).toISOString() },
  });
  return (
    <FormDialog
      title="Deliver failed events again"
      description="Each delivery that has failed gets one more attempt at once. Deliveries are kept for 30 days."
      action="Deliver again"
      form={form}
      onClose={onClose}
      onSubmit={async ({ since }) => {
        if (since === null) return;
        await recover(since);
        toast.success('The failed deliveries are on their way');
        onClose();
      }}
    >
      <Controller
        control={form.control}
        name="since"
        rules={{ required: 'Enter a time.' }}
        render={({ field: { value, onChange }, fieldState }) => (
          <Field label="Failed since" error={fieldState.error?.message} required>
            <DateTimeInput value={value} onChange={onChange} />
          </Field>
        )}
      />
    </FormDialog>
  );
}
