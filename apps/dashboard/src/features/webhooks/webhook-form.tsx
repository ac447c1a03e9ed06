import { EVENT_PATTERNS, EVENT_TYPES } from '@jobline/contracts';
import { type Ref, useId, useImperativeHandle, useRef, useState } from 'react';
import { Controller, useForm } from 'react-hook-form';
import { FormDialog } from '../../shell/form-dialog.js';
import { CheckboxField, Field, Input } from '../../ui/index.js';
import {
  type EventPattern,
  type NewWebhook,
  useChangeWebhook,
  useCreateWebhook,
  type Webhook,
  type WebhookFields,
} from './queries.js';
import { SecretDialog } from './secret-dialog.js';

interface WebhookFormProps {
  onClose: () => void;
  /** Called when the user has seen the secret. */
  onCreated: (webhook: NewWebhook) => void;
}

interface Values {
  url: string;
  description: string;
  events: EventPattern[];
}

/** Adds a webhook and shows its secret once. */
export function WebhookForm({ onClose, onCreated }: WebhookFormProps) {
  const create = useCreateWebhook();
  const [created, setCreated] = useState<NewWebhook | null>(null);
  const form = useForm<Values>({ defaultValues: { url: '', description: '', events: [] } });
  return (
    <SecretDialog
      title="Add webhook"
      description="Each event is sent as a signed POST request. A 2xx answer within 15 seconds accepts it."
      action="Add webhook"
      form={form}
      make={async (values) => {
        const made = await create(fieldsOf(values));
        setCreated(made);
        return made.secret;
      }}
      onDone={() => created && onCreated(created)}
      onClose={onClose}
    >
      <Fields form={form} />
    </SecretDialog>
  );
}

/** Changes the settings of a webhook. */
export function EditWebhook({ webhook, onClose }: { webhook: Webhook; onClose: () => void }) {
  const change = useChangeWebhook(webhook.id);
  // A refetch while the form is open must not change what the user's input is compared with.
  const [initial] = useState<Values>(() => ({ ...webhook, description: webhook.description ?? '' }));
  const form = useForm<Values>({ defaultValues: initial });
  return (
    <FormDialog
      title="Edit webhook"
      action="Save"
      dismissable={!form.formState.isDirty}
      form={form}
      onClose={onClose}
      onSubmit={async (values) => {
        const changes = changesOf(fieldsOf(initial), fieldsOf(values));
        if (Object.keys(changes).length > 0) await change(changes);
        onClose();
      }}
    >
      <Fields form={form} />
    </FormDialog>
  );
}

function Fields({ form }: { form: ReturnType<typeof useForm<Values>> }) {
  const { errors } = form.formState;
  return (
    <>
      <Field label="Address" error={errors.url?.message} required>
        <Input
          inputMode="url"
          exact
          placeholder="https://example.com/jobline"
          {...form.register('url', { required: 'Enter an address, such as https://example.com/jobline.' })}
        />
      </Field>
      <Field label="Description" hint="Shown instead of the address." error={errors.description?.message}>
        <Input autoComplete="off" {...form.register('description')} />
      </Field>
      <Controller
        control={form.control}
        name="events"
        rules={{ validate: (events) => events.length > 0 || 'Choose at least one event.' }}
        render={({ field, fieldState }) => (
          <EventFields
            ref={field.ref}
            chosen={field.value}
            onChange={field.onChange}
            error={fieldState.error?.message}
          />
        )}
      />
    </>
  );
}

function fieldsOf({ url, description, events }: Values) {
  return { url, events, description: description.trim() === '' ? null : description };
}

/** The fields that differ, so that a save does not undo what another user has changed meanwhile. */
function changesOf(before: WebhookFields, after: WebhookFields): Partial<WebhookFields> {
  return {
    ...(after.url !== before.url && { url: after.url }),
    ...(after.description !== before.description && { description: after.description }),
    ...(after.events.join() !== before.events.join() && { events: after.events }),
  };
}

const GROUPS = [...new Set(EVENT_TYPES.map((type) => type.replace(/\..*/, '')))];
const ALL = '*';
// The cast: the API accepts exactly these.
const PATTERNS = EVENT_PATTERNS as readonly EventPattern[];

interface EventFieldsProps {
  chosen: readonly EventPattern[];
  onChange: (chosen: EventPattern[]) => void;
  error?: string | undefined;
  /** For the focus when the field has an error. */
  ref?: Ref<{ focus: () => void }>;
}

/** The events of a webhook as checkboxes. What a wider choice includes is checked and cannot be changed. */
function EventFields({ chosen, onChange, error, ref }: EventFieldsProps) {
  const id = useId();
  const fieldset = useRef<HTMLFieldSetElement>(null);
  useImperativeHandle(ref, () => ({ focus: () => fieldset.current?.querySelector('button')?.focus() }), []);
  const toggle = (pattern: EventPattern, isOn: boolean) =>
    onChange(
      isOn ? [...chosen.filter((one) => !includes(pattern, one)), pattern] : chosen.filter((one) => one !== pattern),
    );
  const box = (pattern: EventPattern, label: string) => {
    const isIncluded = chosen.some((one) => one !== pattern && includes(one, pattern));
    return (
      <CheckboxField
        key={pattern}
        label={label}
        checked={isIncluded || chosen.includes(pattern)}
        disabled={isIncluded}
        onChange={(isOn) => toggle(pattern, isOn)}
      />
    );
  };
  return (
    <fieldset ref={fieldset} aria-describedby={error ? `${id}error` : undefined} className="flex flex-col gap-3">
      <legend className="mb-1.5 text-body font-medium">Events</legend>
      {box(ALL, 'All events')}
      <div className="grid gap-x-6 gap-y-3 sm:grid-cols-2">
        {GROUPS.map((group) => (
          <div key={group} className="flex flex-col">
            {PATTERNS.filter((pattern) => pattern.startsWith(`${group}.`))
              .sort((one, other) => Number(isGroup(other)) - Number(isGroup(one)))
              .map((pattern) => box(pattern, isGroup(pattern) ? `All ${group} events` : pattern))}
          </div>
        ))}
      </div>
      {error && (
        <p id={`${id}error`} role="alert" className="text-meta text-danger">
          {error}
        </p>
      )}
    </fieldset>
  );
}

function isGroup(pattern: string): boolean {
  return pattern.endsWith('.*');
}

/** Whether one choice includes another. */
function includes(wide: string, pattern: string): boolean {
  if (wide === pattern || wide === ALL) return true;
  return isGroup(wide) && pattern.startsWith(wide.slice(0, -1));
}
