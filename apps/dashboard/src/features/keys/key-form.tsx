import type { ApiKey, NewApiKey } from '@jobline/client';
import { KEY_LIMITS, SCOPES, type Scope } from '@jobline/contracts';
import { type UseFormReturn, useForm } from 'react-hook-form';
import { useRefetch } from '../../api/use-change.js';
import { useList } from '../../api/use-list.js';
import { formatCount, formatMoment, isNumberText } from '../../format/index.js';
import { curlOf } from '../../product/curl.js';
import { useApi } from '../../services.js';
import { ControlField, GroupField, RadioField, TextField } from '../../shell/control-field.js';
import { FormDialog } from '../../shell/form-dialog.js';
import { type NewSecret, SecretDialog } from '../../shell/secret-dialog.js';
import { Button, CheckboxField, CodeBlock, DateTimeInput, Select, TokenInput } from '../../ui/index.js';
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
  const api = useApi();
  const refetch = useRefetch('listApiKeys');
  const form = useForm<KeyValues>({ defaultValues: NEW_KEY });
  return (
    <SecretDialog
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
      what="key"
      make={async (values) => {
        const created = await api.keys.create(settingsOf(values, Date.now()));
        void refetch();
        return shownOnce(created);
      }}
      ifLost={IF_LOST}
      onClose={onClose}
    >
      <KeyFields form={form} />
    </SecretDialog>
  );
}

/** Asks for how long the old key continues to work, and shows the new one. */
export function RotateKey({ rotated, onClose }: { rotated: ApiKey; onClose: () => void }) {
  const { id, name, prefix, expires_at: expiresAt } = rotated;
  const api = useApi();
  const refetch = useRefetch('listApiKeys');
  const form = useForm({ defaultValues: { overlap_hours: String(KEY_LIMITS.usualOverlapHours) } });
  return (
    <SecretDialog
      title={`Rotate “${name}”?`}
      description={
        <>
          You get a new key with the same name, scopes, job types and expiry. The old key{' '}
          <span className="font-mono">{prefix}…</span> continues to work during the overlap, so that programs can change
          to the new one.
        </>
      }
      action="Rotate"
      form={form}
      onClose={onClose}
      what="key"
      make={async ({ overlap_hours: overlap }) => {
        const hours = Number(overlap);
        const created = await api.keys.rotate(id, { overlap_hours: hours });
        void refetch();
        const until = `The old key works for another ${formatCount(hours, 'hour')}${expiresAt ? ', unless it expires before' : ''}.`;
        return shownOnce(created, hours === 0 ? 'The old key is rejected from now on.' : until);
      }}
      ifLost={IF_LOST}
    >
      <TextField
        form={form}
        name="overlap_hours"
        label="Overlap in hours"
        hint={`0 to ${KEY_LIMITS.overlapHours}. With 0, the old key is rejected within five seconds.${
          expiresAt ? ` Both keys expire on ${formatMoment(expiresAt)} at the latest.` : ''
        }`}
        inputMode="numeric"
        rules={{ validate: (text) => isNumberText(text) || 'Enter a number of hours, such as 24.' }}
        required
      />
    </SecretDialog>
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

const IF_LOST = 'You would have to revoke it and create another one.';
const SAMPLE_JOB = { type: 'generate_pdf', payload: { template: 'invoice' } };

/** The new key, and a request to try it with if it may submit the sample job. */
function shownOnce({ key, name, scopes, types }: NewApiKey, note = ''): NewSecret {
  const canSubmit = scopes.includes('jobs:write') && (types === null || types.includes(SAMPLE_JOB.type));
  return {
    title: `Key “${name}”`,
    description: `Copy the key now. Only its hash is stored, so it cannot be shown again. ${note}`.trimEnd(),
    secret: key,
    more: (onCopied) =>
      canSubmit && (
        <div className="flex flex-col gap-1.5">
          <p className="text-body text-muted">Try it: this job renders a sample invoice as a PDF.</p>
          <CodeBlock code={curlOf(location.origin, SAMPLE_JOB, key)} label="curl" onCopied={onCopied} />
        </div>
      ),
  };
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
      <TextField
        form={form}
        name="name"
        label="Name"
        hint="The program that will use it, such as backend or nightly import."
        rules={{ required: 'Enter a name.' }}
        required
      />
      <GroupField
        control={form.control}
        name="scopes"
        rules={{ validate: (scopes) => scopes.length > 0 || 'Choose at least one scope.' }}
        label="Scopes"
      >
        {({ value, onChange }) => <ScopeBoxes chosen={value} onChange={onChange} />}
      </GroupField>
      <RadioField control={form.control} name="access" label="Job types" options={ACCESS_OPTIONS} />
      <TypesField form={form} />
      <div className="grid gap-4 sm:grid-cols-2">
        <ControlField control={form.control} name="expiry" label="Expires">
          {(bound) => <Select options={EXPIRY_OPTIONS} {...bound} />}
        </ControlField>
        {form.watch('expiry') === 'time' && (
          <ControlField
            control={form.control}
            name="expires_at"
            rules={{ validate: (at) => expiryError(at, Date.now()) ?? true }}
            label="Date and time"
            required
          >
            {(bound) => <DateTimeInput {...bound} />}
          </ControlField>
        )}
      </div>
    </>
  );
}

function TypesField({ form }: FieldsProps) {
  const { rows = [] } = useList('listJobTypes');
  const isChosen = form.watch('access') === 'chosen';
  const sendsMessages = form.watch('scopes').some((scope) => scope.startsWith('messages:'));
  return (
    <ControlField
      control={form.control}
      name="types"
      rules={{ validate: (types, { access }) => access === 'all' || (typesError(types) ?? true) }}
      label="Chosen job types"
      hint={
        sendsMessages
          ? 'For emails and SMS, the key needs the types send_email and send_sms.'
          : 'Types that your workers handle, or will handle.'
      }
      required={isChosen}
    >
      {(bound) => (
        <TokenInput
          {...bound}
          value={isChosen ? bound.value : []}
          onChange={(types) => {
            bound.onChange(types);
            form.setValue('access', 'chosen');
          }}
          separator={/[\s,]/}
          suggestions={rows.map(({ type }) => type).filter((type) => !bound.value.includes(type))}
        />
      )}
    </ControlField>
  );
}

const GROUPS = groupsOf(SCOPES);

/** The scopes of a key as checkboxes, with presets. */
function ScopeBoxes({ chosen, onChange }: { chosen: readonly Scope[]; onChange: (chosen: Scope[]) => void }) {
  const toggle = (scope: Scope, isOn: boolean) =>
    onChange(SCOPES.filter((one) => (one === scope ? isOn : chosen.includes(one))));
  return (
    <>
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
    </>
  );
}
