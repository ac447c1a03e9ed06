import { Controller, useForm } from 'react-hook-form';
import { FormDialog } from '../../shell/form-dialog.js';
import { Field, Input, RadioGroup } from '../../ui/index.js';
import { type Limit, type LimitSettings, useSaveLimit } from './use-limits.js';

/** Fields with numbers are texts, and empty means no bound. */
interface Values {
  name: string;
  types: string;
  concurrency: string;
  per_second: string;
  burst: string;
  per: Grouping;
}

type Grouping = 'organization' | 'key' | 'ordered';

const GROUPINGS = [
  { value: 'organization', label: 'All its jobs together' },
  { value: 'key', label: 'Each key by itself', hint: 'The key is that of the submission, for example a customer.' },
  { value: 'ordered', label: 'Each key by itself, in strict order', hint: 'One job of a key at a time.' },
] as const;

/** Adds a limit, or changes one. */
export function LimitForm({ limit, onClose }: { limit?: Limit; onClose: () => void }) {
  const save = useSaveLimit();
  const form = useForm<Values>({ defaultValues: valuesOf(limit) });
  const { errors } = form.formState;
  const isOrdered = form.watch('per') === 'ordered';
  return (
    <FormDialog
      title={limit ? `Edit ${limit.name}` : 'Add limit'}
      description="Jobs above the limit wait. A change applies within two seconds, to waiting jobs too."
      action={limit ? 'Save' : 'Add limit'}
      form={form}
      fieldOf={({ path }) => (path === 'ordered' ? 'per' : path.replace(/\[.*/, ''))}
      onClose={onClose}
      onSubmit={async (values) => {
        await save(values.name, settingsOf(values, limit?.paused ?? false));
        onClose();
      }}
    >
      {!limit && (
        <Field label="Name" hint="Submissions can name it in the field limit." error={errors.name?.message} required>
          <Input
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            placeholder="crm-api"
            {...form.register('name', { required: 'Enter a name, such as crm-api.' })}
          />
        </Field>
      )}
      <Field
        label="Job types"
        hint="All jobs of these types are under it. Separate them by commas, or leave this empty."
        error={errors.types?.message}
      >
        <Input
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          placeholder="webhook, send_sms"
          {...form.register('types')}
        />
      </Field>
      <div className="grid gap-4 sm:grid-cols-3">
        <Field label="At a time" error={errors.concurrency?.message}>
          <Input
            inputMode="numeric"
            disabled={isOrdered}
            placeholder="no bound"
            {...form.register('concurrency', { validate: isNumber })}
          />
        </Field>
        <Field label="Per second" error={errors.per_second?.message}>
          <Input inputMode="decimal" placeholder="no bound" {...form.register('per_second', { validate: isNumber })} />
        </Field>
        <Field label="At once" hint="After a pause." error={errors.burst?.message}>
          <Input inputMode="numeric" placeholder="automatic" {...form.register('burst', { validate: isNumber })} />
        </Field>
      </div>
      <Controller
        control={form.control}
        name="per"
        render={({ field }) => (
          <RadioGroup label="What it bounds" options={GROUPINGS} value={field.value} onChange={field.onChange} />
        )}
      />
    </FormDialog>
  );
}

function valuesOf(limit: Limit | undefined): Values {
  return {
    name: limit?.name ?? '',
    types: limit?.types.join(', ') ?? '',
    concurrency: text(limit?.concurrency),
    per_second: text(limit?.per_second),
    burst: text(limit?.burst),
    per: limit?.ordered ? 'ordered' : (limit?.per ?? 'organization'),
  };
}

function settingsOf(values: Values, paused: boolean): LimitSettings {
  const { types, per } = values;
  return {
    types: types.split(/[\s,]+/).filter((type) => type !== ''),
    concurrency: per === 'ordered' ? 1 : number(values.concurrency),
    per_second: number(values.per_second),
    ...(values.burst.trim() !== '' && values.per_second.trim() !== '' && { burst: Number(values.burst) }),
    per: per === 'ordered' ? 'key' : per,
    ordered: per === 'ordered',
    paused,
  };
}

function text(value: number | null | undefined): string {
  return value === null || value === undefined ? '' : String(value);
}

function number(value: string): number | null {
  return value.trim() === '' ? null : Number(value);
}

function isNumber(value: string): true | string {
  return value.trim() === '' || Number.isFinite(Number(value)) ? true : 'Enter a number, or leave this empty.';
}
