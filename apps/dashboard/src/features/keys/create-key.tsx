import { Controller, type UseFormReturn, useForm } from 'react-hook-form';
import { useList } from '../../api/use-list.js';
import { DateTimeInput, Field, Input, RadioGroup, Select, TokenInput } from '../../ui/index.js';
import { KeyDialog } from './key-dialog.js';
import { EXPIRY_OPTIONS, expiryError, type KeyValues, NEW_KEY, settingsOf, typesError } from './key-values.js';
import { ScopeFields } from './scope-fields.js';
import { useCreateKey } from './use-keys.js';

const ACCESS_OPTIONS = [
  { value: 'all', label: 'All job types' },
  { value: 'chosen', label: 'Only some job types', hint: 'Other jobs and schedules do not exist for the key.' },
] as const;

/** Asks what a new key may do, and shows the key. */
export function CreateKey({ onClose }: { onClose: () => void }) {
  const create = useCreateKey();
  const form = useForm<KeyValues>({ defaultValues: NEW_KEY });
  return (
    <KeyDialog
      side="right"
      title="Create key"
      description={
        <>
          Programs send the key in the header <span className="whitespace-nowrap">X-API-Key</span>.
        </>
      }
      action="Create key"
      form={form}
      fieldOf={({ path }) =>
        path === 'expires_at' && form.getValues('expiry') !== 'time' ? 'expiry' : path.replace(/\[.*/, '')
      }
      onClose={onClose}
      make={(values) => create(settingsOf(values, Date.now()))}
    >
      <Field
        label="Name"
        hint="The program that will use it, such as backend or nightly import."
        error={form.formState.errors.name?.message}
        required
      >
        <Input autoComplete="off" {...form.register('name', { required: 'Enter a name.' })} />
      </Field>
      <Controller
        control={form.control}
        name="scopes"
        rules={{ validate: (scopes) => scopes.length > 0 || 'Choose at least one scope.' }}
        render={({ field: { ref, value, onChange }, fieldState: { error } }) => (
          <ScopeFields ref={ref} chosen={value} onChange={onChange} error={error?.message} />
        )}
      />
      <Controller
        control={form.control}
        name="access"
        render={({ field: { value, onChange } }) => (
          <RadioGroup label="Job types" options={ACCESS_OPTIONS} value={value} onChange={onChange} />
        )}
      />
      {form.watch('access') === 'chosen' && <TypesField form={form} />}
      <ExpiryFields form={form} />
    </KeyDialog>
  );
}

interface FieldsProps {
  form: UseFormReturn<KeyValues>;
}

function TypesField({ form }: FieldsProps) {
  const { rows = [] } = useList('listJobTypes');
  const sendsMessages = form.watch('scopes').some((scope) => scope.startsWith('messages:'));
  return (
    <Controller
      control={form.control}
      name="types"
      rules={{ validate: (types) => typesError(types) ?? true }}
      render={({ field: { ref, value, onChange }, fieldState: { error } }) => (
        <Field
          label="Chosen job types"
          hint={
            sendsMessages
              ? 'For emails and SMS, the key needs the types send_email and send_sms.'
              : 'Types that your workers handle, or will handle.'
          }
          error={error?.message}
          required
        >
          <TokenInput
            ref={ref}
            value={value}
            onChange={onChange}
            separator={/[\s,]/}
            suggestions={rows.map(({ type }) => type).filter((type) => !value.includes(type))}
          />
        </Field>
      )}
    />
  );
}

function ExpiryFields({ form: { control, watch } }: FieldsProps) {
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <Controller
        control={control}
        name="expiry"
        render={({ field: { ref, value, onChange }, fieldState: { error } }) => (
          <Field label="Expires" error={error?.message}>
            <Select ref={ref} options={EXPIRY_OPTIONS} value={value} onChange={onChange} />
          </Field>
        )}
      />
      {watch('expiry') === 'time' && (
        <Controller
          control={control}
          name="expires_at"
          rules={{ validate: (at) => expiryError(at, Date.now()) ?? true }}
          render={({ field: { ref, value, onChange }, fieldState: { error } }) => (
            <Field label="Date and time" error={error?.message} required>
              <DateTimeInput ref={ref} value={value} onChange={onChange} />
            </Field>
          )}
        />
      )}
    </div>
  );
}
