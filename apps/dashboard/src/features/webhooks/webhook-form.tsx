import { EVENT_PATTERNS, EVENT_TYPES } from '@jobline/contracts';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useForm } from 'react-hook-form';
import { changedFields } from '../../format/index.js';
import { useApi } from '../../services.js';
import { GroupField, TextField } from '../../shell/control-field.js';
import { FormDialog } from '../../shell/form-dialog.js';
import { type NewSecret, SecretDialog } from '../../shell/secret-dialog.js';
import { Callout, CheckboxField } from '../../ui/index.js';
import { type EventPattern, useChangeWebhook, useCreateWebhook, type Webhook } from './queries.js';

interface Values extends Pick<Webhook, 'url' | 'events'> {
  description: string;
}

/** Adds a webhook, shows its secret once, and then opens the webhook. */
export function WebhookForm({ onClose }: { onClose: () => void }) {
  const create = useCreateWebhook();
  const navigate = useNavigate();
  const [id, setId] = useState('');
  const form = useForm<Values>({ defaultValues: { url: '', description: '', events: [] } });
  return (
    <SecretDialog
      title="Add webhook"
      description="Each event is sent as a signed POST request. A 2xx answer within 15 seconds accepts it."
      action="Add webhook"
      form={form}
      {...OF_WEBHOOK}
      make={async (values) => {
        const made = await create(fieldsOf(values));
        setId(made.id);
        return shownOnce(made.secret);
      }}
      onDone={() => void navigate({ to: '/webhooks', search: { id } })}
      onClose={onClose}
    >
      <Fields form={form} />
    </SecretDialog>
  );
}

/** Replaces the secret of a webhook. `onClose` navigates. */
export function RotateSecret({ id, onClose }: { id: string; onClose: () => void }) {
  const { webhooks } = useApi();
  const form = useForm();
  return (
    <SecretDialog
      title="Rotate the secret?"
      action="Rotate"
      form={form}
      {...OF_WEBHOOK}
      make={async () => shownOnce((await webhooks.rotate(id)).secret, ' The old one signs too for 24 hours.')}
      onClose={onClose}
    >
      <p className="text-body">
        Requests are signed with a new secret from now on, and also with the old one for 24 hours. Update the receiver
        in this time.
      </p>
    </SecretDialog>
  );
}

const OF_WEBHOOK = { what: 'secret', ifLost: 'You can make a new one at any time.' };

/** Undefined: an earlier try of the same request has made the secret. */
function shownOnce(secret: string | undefined, note = ''): NewSecret {
  return {
    title: 'The secret of the webhook',
    description: `Copy the secret now. It is not shown again.${note}`,
    secret,
    more: () =>
      secret === undefined && (
        <Callout tone="warning">
          An earlier try has created the webhook, so its secret cannot be shown. Rotate it to get a new one.
        </Callout>
      ),
  };
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
        const changes = changedFields(fieldsOf(initial), fieldsOf(values));
        if (Object.keys(changes).length > 0) await change(changes);
        onClose();
      }}
    >
      <Fields form={form} />
    </FormDialog>
  );
}

function Fields({ form }: { form: ReturnType<typeof useForm<Values>> }) {
  return (
    <>
      <TextField
        form={form}
        name="url"
        label="Address"
        inputMode="url"
        exact
        placeholder="https://example.com/jobline"
        rules={{ required: 'Enter an address, such as https://example.com/jobline.' }}
        required
      />
      <TextField form={form} name="description" label="Description" hint="Shown instead of the address." />
      <GroupField
        control={form.control}
        name="events"
        rules={{ validate: (events) => events.length > 0 || 'Choose at least one event.' }}
        label="Events"
      >
        {({ value, onChange }) => <EventBoxes chosen={value} onChange={onChange} />}
      </GroupField>
    </>
  );
}

function fieldsOf({ url, description, events }: Values) {
  return { url, events, description: description.trim() === '' ? null : description };
}

const GROUPS = [...new Set(EVENT_TYPES.map((type) => type.replace(/\..*/, '')))];
const ALL = '*';
// The cast: the API accepts exactly these.
const PATTERNS = EVENT_PATTERNS as readonly EventPattern[];

interface EventBoxesProps {
  chosen: readonly EventPattern[];
  onChange: (chosen: EventPattern[]) => void;
}

/** The events of a webhook as checkboxes. What a wider choice includes is checked and cannot be changed. */
function EventBoxes({ chosen, onChange }: EventBoxesProps) {
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
    <>
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
    </>
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
