import type { ApiKey } from '@jobline/client';
import { SCOPES, type Scope } from '@jobline/contracts';
import { type Ref, useId, useImperativeHandle, useRef } from 'react';
import { Controller, type UseFormReturn, useForm } from 'react-hook-form';
import { useRefetch } from '../../api/use-change.js';
import { useList } from '../../api/use-list.js';
import { useApi } from '../../services.js';
import { ControlField } from '../../shell/control-field.js';
import { FormDialog } from '../../shell/form-dialog.js';
import { Button, CheckboxField, DateTimeInput, Field, Input, RadioGroup, Select, TokenInput } from '../../ui/index.js';
import { KeyDialog } from './key-dialog.js';
import {
  changesOf,
  EXPIRY_OPTIONS,
  expiryError,
  groupsOf,
  isSame,
  type KeyValues,
  NEW_KEY,
  PRESETS,
  settingsOf,
  typesError,
  valuesOf,
} from './model.js';

const ACCESS_OPTIONS = [
  { value: 'all', label: 'All job types' },
  { value: 'chosen', label: 'Only some job types', hint: 'Other jobs and schedules do not exist for the key.' },
] as const;

/** Asks what a new key may do, and shows the key. */
export function CreateKey({ onClose }: { onClose: () => void }) {
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
      fieldOf={fieldOf(form)}
      onClose={onClose}
      make={(api, values) => api.keys.create(settingsOf(values, Date.now()))}
    >
      <KeyFields form={form} />
    </KeyDialog>
  );
}

/** Changes what a key may do, its name and its expiry. */
export function ChangeKey({ changed, onClose }: { changed: ApiKey; onClose: () => void }) {
  const api = useApi();
  const refetch = useRefetch('listApiKeys');
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
        const changes = changesOf(changed, values, Date.now());
        if (Object.keys(changes).length > 0) await api.keys.change(changed.id, changes);
        void refetch();
        onClose();
      }}
    >
      <KeyFields form={form} />
    </FormDialog>
  );
}

interface FieldsProps {
  form: UseFormReturn<KeyValues>;
}

/** The field that shows an issue of the API. */
function fieldOf(form: UseFormReturn<KeyValues>): (detail: { path: string }) => string {
  return ({ path }) =>
    path === 'expires_at' && form.getValues('expiry') !== 'time' ? 'expiry' : path.replace(/\[.*/, '');
}

/** What a key may do, its name and its expiry. */
function KeyFields({ form }: FieldsProps) {
  return (
    <>
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
    </>
  );
}

function TypesField({ form }: FieldsProps) {
  const { rows = [] } = useList('listJobTypes');
  const sendsMessages = form.watch('scopes').some((scope) => scope.startsWith('messages:'));
  return (
    <ControlField
      control={form.control}
      name="types"
      rules={{ validate: (types) => typesError(types) ?? true }}
      label="Chosen job types"
      hint={
        sendsMessages
          ? 'For emails and SMS, the key needs the types send_email and send_sms.'
          : 'Types that your workers handle, or will handle.'
      }
      required
    >
      {(bound) => (
        <TokenInput
          {...bound}
          separator={/[\s,]/}
          suggestions={rows.map(({ type }) => type).filter((type) => !bound.value.includes(type))}
        />
      )}
    </ControlField>
  );
}

function ExpiryFields({ form: { control, watch } }: FieldsProps) {
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <ControlField control={control} name="expiry" label="Expires">
        {(bound) => <Select options={EXPIRY_OPTIONS} {...bound} />}
      </ControlField>
      {watch('expiry') === 'time' && (
        <ControlField
          control={control}
          name="expires_at"
          rules={{ validate: (at) => expiryError(at, Date.now()) ?? true }}
          label="Date and time"
          required
        >
          {(bound) => <DateTimeInput {...bound} />}
        </ControlField>
      )}
    </div>
  );
}

const GROUPS = groupsOf(SCOPES);

interface ScopeFieldsProps {
  chosen: readonly Scope[];
  onChange: (chosen: Scope[]) => void;
  error?: string | undefined;
  /** For the focus when the field has an error. */
  ref?: Ref<{ focus: () => void }>;
}

/** The scopes of a key as checkboxes, with presets. */
function ScopeFields({ chosen, onChange, error, ref }: ScopeFieldsProps) {
  const id = useId();
  const fieldset = useRef<HTMLFieldSetElement>(null);
  useImperativeHandle(
    ref,
    () => ({ focus: () => fieldset.current?.querySelector<HTMLElement>('[role=checkbox]')?.focus() }),
    [],
  );
  const toggle = (scope: Scope, isOn: boolean) =>
    onChange(SCOPES.filter((one) => (one === scope ? isOn : chosen.includes(one))));
  return (
    <fieldset
      ref={fieldset}
      aria-describedby={error ? `${id}error` : undefined}
      className="flex min-w-0 flex-col gap-3"
    >
      <legend className="mb-1.5 text-body font-medium">Scopes</legend>
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset would need a visible legend */}
      <div role="group" aria-label="Presets" className="flex flex-wrap gap-2">
        {PRESETS.map(({ label, scopes }) => (
          <Button
            key={label}
            size="small"
            aria-pressed={isSame(scopes, chosen)}
            className="aria-pressed:border-accent aria-pressed:bg-accent-soft"
            onClick={() => onChange([...scopes])}
          >
            {label}
          </Button>
        ))}
      </div>
      {GROUPS.map(({ name, scopes }) => (
        <fieldset key={name} className="flex flex-col gap-1">
          <legend className="text-meta font-medium text-muted">{name}</legend>
          {scopes.map(({ scope, sentence }) => (
            <CheckboxField
              key={scope}
              label={scope}
              hint={sentence}
              checked={chosen.includes(scope)}
              onChange={(isOn) => toggle(scope, isOn)}
            />
          ))}
        </fieldset>
      ))}
      {error && (
        <p id={`${id}error`} role="alert" className="text-meta text-danger">
          {error}
        </p>
      )}
    </fieldset>
  );
}
