import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { Ellipsis, KeyRound, Pause, Play, RotateCw, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { Controller, useForm } from 'react-hook-form';
import { given } from '../../search-params.js';
import { ConfirmDialog, DeleteDialog } from '../../shell/confirm-dialog.js';
import { ControlField } from '../../shell/control-field.js';
import { FormDialog } from '../../shell/form-dialog.js';
import { Button, CheckboxField, DateTimeInput, IconButton, Menu, toast } from '../../ui/index.js';
import { useChangeWebhook, useRecover, useTestEvent, type Webhook } from './queries.js';
import { EditWebhook, RotateSecret } from './webhook-form.js';

type Asked = 'edit' | 'enable' | 'disable' | 'recover' | 'delete';

const route = getRouteApi('/app/webhooks');

export const DISABLED = 'The webhook is disabled.';

/** The buttons of a webhook, and their dialogs. */
export function WebhookActions({ webhook }: { webhook: Webhook }) {
  const { id, url, enabled } = webhook;
  const navigate = useNavigate();
  const change = useChangeWebhook(id);
  const test = useTestEvent(id);
  const [asked, setAsked] = useState<Asked | null>(null);
  const close = () => setAsked(null);
  const search = route.useSearch();
  const showRotation = (rotate: 1 | undefined) =>
    void navigate({
      to: '/webhooks',
      search: given<typeof search>({ ...search, rotate }),
      replace: true,
      resetScroll: false,
    });
  const name = webhook.description ?? url;
  return (
    <>
      <Button busy={test.isPending} disabledReason={enabled ? undefined : DISABLED} onClick={() => test.mutate()}>
        Send test event
      </Button>
      <Button onClick={() => setAsked('edit')}>Edit</Button>
      <Menu
        trigger={<IconButton label="More" icon={<Ellipsis />} />}
        groups={[
          [
            {
              label: 'Deliver events again',
              icon: <RotateCw />,
              onSelect: () => setAsked('recover'),
              disabled: !enabled,
              hint: enabled ? undefined : DISABLED,
            },
            { label: 'Rotate secret', icon: <KeyRound />, onSelect: () => showRotation(1) },
          ],
          [
            enabled
              ? { label: 'Disable', icon: <Pause />, onSelect: () => setAsked('disable') }
              : { label: 'Enable', icon: <Play />, onSelect: () => setAsked('enable') },
            { label: 'Delete', icon: <Trash2 />, onSelect: () => setAsked('delete') },
          ],
        ]}
      />
      {asked === 'edit' && <EditWebhook webhook={webhook} onClose={close} />}
      {search.rotate && <RotateSecret id={id} onClose={() => showRotation(undefined)} />}
      {asked === 'recover' && <RecoverDialog id={id} since={dayAgo()} onClose={close} />}
      {(asked === 'enable' || asked === 'disable') && (
        <ConfirmDialog
          title={asked === 'enable' ? 'Enable the webhook?' : 'Disable the webhook?'}
          verb={asked === 'enable' ? 'Enable' : 'Disable'}
          run={() => change({ enabled: asked === 'enable' })}
          onDone={close}
          onClose={close}
        >
          {asked === 'enable'
            ? 'Events are sent to it from now on. Those that failed before are not repeated by themselves.'
            : 'Nothing more is sent to it, and its pending deliveries fail. You can enable it again and deliver them then.'}
        </ConfirmDialog>
      )}
      {asked === 'delete' && (
        <DeleteDialog
          from="listWebhooks"
          remove={(api) => api.webhooks.delete(id)}
          title={`Delete ${name}?`}
          verb="Delete"
          onDeleted={() => {
            toast.success('The webhook is deleted');
            void navigate({ to: '/webhooks', search: {}, replace: true });
          }}
          onClose={close}
        >
          Nothing more is sent to it. Its deliveries and its secret are deleted, too.
        </DeleteDialog>
      )}
    </>
  );
}

const DAY_MS = 24 * 3_600_000;
const dayAgo = () => new Date(Date.now() - DAY_MS).toISOString();

interface RecoverDialogProps {
  id: string;
  /** The time that the form begins with. */
  since: string;
  onClose: () => void;
}

/** Delivers again everything that failed since a time, or everything. */
export function RecoverDialog({ id, since, onClose }: RecoverDialogProps) {
  const recover = useRecover(id);
  const form = useForm<{ since: string | null; delivered: boolean }>({ defaultValues: { since, delivered: false } });
  return (
    <FormDialog
      title="Deliver events again"
      description="Each delivery since this time that has failed gets one more attempt at once, with the same ID. Deliveries are kept for 30 days."
      action="Deliver again"
      form={form}
      onClose={onClose}
      onSubmit={async (values) => {
        if (values.since === null) return;
        await recover({ since: values.since, delivered: values.delivered });
        toast.success('The deliveries are on their way');
        onClose();
      }}
    >
      <ControlField control={form.control} name="since" rules={{ required: 'Enter a time.' }} label="Since" required>
        {(bound) => <DateTimeInput {...bound} />}
      </ControlField>
      <Controller
        control={form.control}
        name="delivered"
        render={({ field: { value, onChange } }) => (
          <CheckboxField
            label="Also those that were delivered"
            hint="For a receiver that has lost what it had accepted."
            checked={value}
            onChange={onChange}
          />
        )}
      />
    </FormDialog>
  );
}
