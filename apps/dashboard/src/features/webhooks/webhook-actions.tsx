import { getRouteApi } from '@tanstack/react-router';
import { Ellipsis, KeyRound, Pause, Play, RotateCw, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { useForm } from 'react-hook-form';
import { ConfirmDialog, DeleteDialog } from '../../shell/confirm-dialog.js';
import { ControlField } from '../../shell/control-field.js';
import { FormDialog } from '../../shell/form-dialog.js';
import { useSearchChange } from '../../shell/use-search-change.js';
import { Button, CheckboxField, DateTimeInput, IconButton, Menu, toast } from '../../ui/index.js';
import { useChangeWebhook, useDeliver, useRecover, type Webhook } from './queries.js';
import { EditWebhook, RotateSecret } from './webhook-form.js';

type Asked = 'edit' | 'enable' | 'disable' | 'recover' | 'delete';

const route = getRouteApi('/app/webhooks');

export const DISABLED = 'The webhook is disabled.';

/** The buttons of a webhook, and their dialogs. */
export function WebhookActions({ webhook }: { webhook: Webhook }) {
  const { id, url, enabled } = webhook;
  const change = useChangeWebhook(id);
  const test = useDeliver((api) => api.webhooks.test(id), 'A test event is on its way');
  const [asked, setAsked] = useState<Asked | null>(null);
  const close = () => setAsked(null);
  const { rotate } = route.useSearch();
  const go = useSearchChange<{ rotate?: 1 }>({ replace: true });
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
            { label: 'Rotate secret', icon: <KeyRound />, onSelect: () => go({ rotate: 1 }) },
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
      {rotate && <RotateSecret id={id} onClose={() => go({ rotate: undefined })} />}
      {asked === 'recover' && <RecoverDialog id={id} since={dayAgo()} onClose={close} />}
      {(asked === 'enable' || asked === 'disable') && (
        <ConfirmDialog
          title={asked === 'enable' ? 'Enable the webhook?' : 'Disable the webhook?'}
          verb={asked === 'enable' ? 'Enable' : 'Disable'}
          run={() => change({ enabled: asked === 'enable' })}
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
          done="The webhook is deleted"
          page="/webhooks"
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

/** Delivers again everything that failed since a time, or everything. The form begins with the time `since`. */
export function RecoverDialog({ id, since, onClose }: { id: string; since: string; onClose: () => void }) {
  const recover = useRecover(id);
  const form = useForm<{ since: string | null; delivered: boolean }>({ defaultValues: { since, delivered: false } });
  return (
    <FormDialog
      title="Deliver events again"
      description="Each delivery since this time that has failed gets one more attempt at once, with the same ID. Pending ones keep the times of their attempts. Deliveries are kept for 30 days."
      action="Deliver again"
      form={form}
      onClose={onClose}
      onSubmit={async (values) => {
        if (values.since === null) return;
        await recover({ since: values.since, delivered: values.delivered });
        toast.success('What failed since then is delivered again', { detail: 'Pending deliveries keep their times.' });
        onClose();
      }}
    >
      <ControlField control={form.control} name="since" rules={{ required: 'Enter a time.' }} label="Since" required>
        {(bound) => <DateTimeInput {...bound} />}
      </ControlField>
      <CheckboxField
        label="Also those that were delivered"
        hint="For a receiver that has lost what it had accepted."
        checked={form.watch('delivered')}
        onChange={(isOn) => form.setValue('delivered', isOn)}
      />
    </FormDialog>
  );
}
