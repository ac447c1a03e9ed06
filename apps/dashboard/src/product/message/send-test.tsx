import { useNavigate } from '@tanstack/react-router';
import { useForm } from 'react-hook-form';
import { useRefetch } from '../../api/use-change.js';
import { useMe } from '../../session/use-session.js';
import { TextField } from '../../shell/control-field.js';
import { FormDialog } from '../../shell/form-dialog.js';
import { toast } from '../../ui/index.js';
import { useDefaultSender } from './default-sender.js';
import { SANDBOX } from './message-status.js';

interface SendTestProps {
  channel: 'email' | 'sms';
  /** The sender; absent: the default one. */
  from?: string | undefined;
  /** The variables that are empty in the message. */
  missing?: readonly string[];
  /** Sends the message to this recipient. */
  send: (to: string) => Promise<{ id: string; provider?: string }>;
  onClose: () => void;
}

/** Sends a message to oneself, or to another address, to see how it arrives. Open while mounted. */
export function SendTest({ channel, from, missing = [], send, onClose }: SendTestProps) {
  const { user } = useMe();
  const navigate = useNavigate();
  const byDefault = useDefaultSender(channel);
  const isEmail = channel === 'email';
  const refetch = useRefetch(isEmail ? 'listEmails' : 'listSms');
  const form = useForm({ defaultValues: { to: isEmail ? user.email : '' } });
  const submit = async ({ to }: { to: string }) => {
    const { id, provider } = await send(to.trim());
    void refetch();
    onClose();
    const open = () => void navigate({ to: `/${channel}`, search: { id } });
    toast.success(provider === SANDBOX ? 'Test recorded, not sent' : 'Test sent', {
      detail: `To ${to.trim()}`,
      action: { label: isEmail ? 'Open the email' : 'Open the report', onAction: open },
    });
  };
  return (
    <FormDialog
      title="Send a test"
      description={`From ${from ?? `the default sender${byDefault ? `: ${byDefault}` : ''}`}`}
      form={form}
      action="Send test"
      fieldOf={({ path }) => path.replace(/^payload\./, '')}
      onSubmit={submit}
      onClose={onClose}
    >
      <TextField
        form={form}
        name="to"
        label={isEmail ? 'To' : 'Phone number'}
        hint={isEmail ? 'Only this address gets it.' : 'Start with + and the country code.'}
        type={isEmail ? 'email' : 'tel'}
        exact
        placeholder={isEmail ? undefined : '+254700000000'}
        rules={{ required: isEmail ? 'Enter an email address.' : 'Enter a phone number.' }}
        required
      />
      {missing.length > 0 && <p className="text-meta text-warning">Left empty: {missing.join(', ')}</p>}
    </FormDialog>
  );
}
