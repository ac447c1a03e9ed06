import { useState } from 'react';
import { useForm } from 'react-hook-form';
import { isNumberInput, wordsOf } from '../../format/index.js';
import { TypeHint, useKnownTypes } from '../../product/job/known-types.js';
import { useApi } from '../../services.js';
import { RadioField } from '../../shell/control-field.js';
import { FormDialog } from '../../shell/form-dialog.js';
import { Field, Input } from '../../ui/index.js';
import { changesOf, type LimitValues, PROBE_SECONDS, settingsOf, valuesOf } from './model.js';
import { type Limit, useChangeLimit, useSaveLimit } from './queries.js';

const GROUPINGS = [
  { value: 'organization', label: 'All its jobs together' },
  { value: 'key', label: 'Each key by itself', hint: 'The key is that of the submission, for example a customer.' },
  { value: 'ordered', label: 'Each key by itself, in strict order', hint: 'One job of a key at a time.' },
] as const;

type NumberName = 'concurrency' | 'per_second' | 'burst' | 'hold.after' | 'hold.probe_seconds';

export function LimitForm({ limit, onClose }: { limit?: Limit; onClose: () => void }) {
  const save = useSaveLimit();
  const change = useChangeLimit();
  const { limits } = useApi();
  const readLimit = async (name: string) => (await limits.list()).data.find((one) => one.name === name);
  // A refetch while the form is open must not change what the user's input is compared with.
  const [initial] = useState(() => valuesOf(limit));
  const form = useForm<LimitValues>({ defaultValues: initial });
  const { errors } = form.formState;
  const isOrdered = form.watch('per') === 'ordered';
  const known = useKnownTypes();
  const typed = form.watch('types');
  const before = typed.slice(0, Math.max(typed.lastIndexOf(','), typed.lastIndexOf(' ')) + 1);
  const numberField = (name: NumberName, label: string, placeholder: string, hint?: string) => (
    <Field label={label} hint={hint} error={form.getFieldState(name, form.formState).error?.message}>
      <Input
        inputMode={name === 'per_second' ? 'decimal' : 'numeric'}
        placeholder={placeholder}
        {...form.register(name, { validate: isNumberInput })}
      />
    </Field>
  );
  return (
    <FormDialog
      title={limit ? `Edit ${limit.name}` : 'Add limit'}
      description="Jobs above the limit wait. A change applies within two seconds, to waiting jobs too."
      action={limit ? 'Save' : 'Add limit'}
      form={form}
      fieldOf={({ path }) => (path === '' || path === 'ordered' ? 'concurrency' : path.replace(/\[.*/, ''))}
      onClose={onClose}
      onSubmit={async (values) => {
        const changes = limit ? changesOf(initial, values) : null;
        if (!limit && (await readLimit(values.name))) {
          form.setError('name', { message: 'There is a limit of this name. Edit it instead.' }, { shouldFocus: true });
          return;
        }
        if (changes === null) {
          const paused = (await readLimit(values.name))?.paused ?? false;
          await save(values.name, { ...settingsOf(values), paused });
        } else if (Object.keys(changes).length > 0) await change(values.name, changes);
        onClose();
      }}
    >
      {!limit && (
        <Field label="Name" hint="Submissions can name it in the field limit." error={errors.name?.message} required>
          <Input
            exact
            placeholder="crm-api"
            {...form.register('name', { required: 'Enter a name, such as crm-api.' })}
          />
        </Field>
      )}
      <Field
        label="Job types"
        hint={
          <TypeHint known={known} names={wordsOf(typed)}>
            All jobs of these types are under it. Separate them by commas, or leave this empty.
          </TypeHint>
        }
        error={errors.types?.message}
      >
        <Input
          exact
          placeholder="webhook, send_sms"
          // The browser compares them with the whole text.
          suggestions={known?.map(({ type }) => before + type) ?? []}
          {...form.register('types')}
        />
      </Field>
      <div className="grid gap-4 sm:grid-cols-3">
        {isOrdered ? (
          <Field label="At a time" error={errors.concurrency?.message}>
            <Input value="1" disabled />
          </Field>
        ) : (
          numberField('concurrency', 'At a time', 'no bound')
        )}
        {numberField('per_second', 'Per second', 'no bound')}
        {numberField('burst', 'Burst', 'automatic', 'Starts at once after a pause.')}
      </div>
      <div className="grid gap-4 sm:grid-cols-2">
        {numberField(
          'hold.after',
          'Hold after',
          'never',
          'Failures in a row because the receiver or provider is unavailable. Then its jobs wait.',
        )}
        {numberField(
          'hold.probe_seconds',
          'Try every (s)',
          String(PROBE_SECONDS),
          'Meanwhile one job is tried this often. The first success ends the hold.',
        )}
      </div>
      <RadioField control={form.control} name="per" label="Applies to" options={GROUPINGS} />
    </FormDialog>
  );
}
