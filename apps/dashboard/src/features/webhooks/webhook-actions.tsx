import { useNavigate } from '@tanstack/react-router';
import { Ellipsis, KeyRound, Pause, Play, RotateCw, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { ConfirmDialog } from '../../shell/confirm-dialog.js';
import { DeleteDialog } from '../../shell/delete-dialog.js';
import { Button, IconButton, Menu, toast } from '../../ui/index.js';
import { RecoverDialog } from './recover-dialog.js';
import { RotateDialog } from './rotate-dialog.js';
import { useChangeWebhook, useTestEvent, type Webhook } from './use-webhooks.js';
import { EditWebhook } from './webhook-form.js';

type Asked = 'edit' | 'enable' | 'disable' | 'rotate' | 'recover' | 'delete';

const DISABLED = 'The webhook is disabled.';

/** The buttons of a webhook, and their dialogs. */
export function WebhookActions({ webhook }: { webhook: Webhook }) {
  const { id, url, enabled } = webhook;
  const navigate = useNavigate();
  const change = useChangeWebhook(id);
  const test = useTestEvent(id);
  const [asked, setAsked] = useState<Asked | null>(null);
  const close = () => setAsked(null);
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
              label: 'Deliver failed events again',
              icon: <RotateCw />,
              onSelect: () => setAsked('recover'),
              disabled: !enabled,
              hint: enabled ? undefined : DISABLED,
            },
            { label: 'Rotate secret', icon: <KeyRound />, onSelect: () => setAsked('rotate') },
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
      {asked === 'rotate' && <RotateDialog id={id} onClose={close} />}
      {asked === 'recover' && <RecoverDialog id={id} onClose={close} />}
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
