import type { Schemas } from '@jobline/client';
import type { Channel } from '@jobline/contracts';
import { FlaskConical } from 'lucide-react';
import { Badge, Tooltip } from '../../ui/index.js';
import { StatusBadge } from '../status.js';

type Sent = Pick<Schemas['Email'], 'status' | 'provider' | 'provider_message_id'>;

/** The status of a message. Messages of the sandbox are shown as recorded, never as sent. */
export function MessageStatusBadge({ message, channel }: { message: Sent; channel: Channel }) {
  const { status, provider } = message;
  const kind = channel === 'sms' ? 'SMS' : channel;
  if (provider !== SANDBOX) return <StatusBadge kind="message" status={status} />;
  return (
    <span className="inline-flex min-w-0 flex-wrap gap-1">
      {status !== 'sent' && <StatusBadge kind="message" status={status} />}
      <Tooltip content={`No ${kind} provider is configured. The sandbox records messages and sends nothing.`}>
        <Badge tone={RECORDED.tone} icon={RECORDED.icon}>
          {RECORDED.word}
        </Badge>
      </Tooltip>
    </span>
  );
}

/** The provider that records messages and does not send them. */
export const SANDBOX = 'sandbox';

/** How messages of the sandbox are shown. */
export const RECORDED = { word: 'Recorded, not sent', icon: FlaskConical, tone: 'warning' } as const;

/** Whether the provider may still report a status change of the message. The sandbox gives an id if it reports. */
export function awaitsReport({ status, provider, provider_message_id: id }: Sent): boolean {
  return status === 'queued' || (status === 'sent' && (provider !== SANDBOX || id !== null));
}
