import type { Channel, MessageStatus } from '@jobline/contracts';
import { FlaskConical } from 'lucide-react';
import { Badge, Tooltip } from '../../ui/index.js';
import { StatusBadge } from '../status.js';

interface MessageStatusBadgeProps {
  message: { status: MessageStatus; provider: string };
  channel: Channel;
}

/** The status of a message. Messages of the sandbox are shown as recorded, never as sent. */
export function MessageStatusBadge({ message: { status, provider }, channel }: MessageStatusBadgeProps) {
  if (provider !== SANDBOX) return <StatusBadge kind="message" status={status} />;
  return (
    <span className="inline-flex min-w-0 flex-wrap gap-1">
      {status !== 'sent' && <StatusBadge kind="message" status={status} />}
      <RecordedBadge channel={channel} />
    </span>
  );
}

const WORDS = { chat: 'chat', email: 'email', sms: 'SMS' } as const satisfies Record<Channel, string>;

function RecordedBadge({ channel }: { channel: Channel }) {
  return (
    <Tooltip content={`No ${WORDS[channel]} provider is configured. The sandbox records messages and sends nothing.`}>
      <Badge tone={RECORDED.tone} icon={RECORDED.icon}>
        {RECORDED.word}
      </Badge>
    </Tooltip>
  );
}

/** The provider that records messages and does not send them. */
export const SANDBOX = 'sandbox';

/** How messages of the sandbox are shown. */
export const RECORDED = { word: 'Recorded, not sent', icon: FlaskConical, tone: 'warning' } as const;

/** Whether the provider may still report a status change of the message. The sandbox gives an id if it reports. */
export function awaitsReport(message: {
  status: string;
  provider: string;
  provider_message_id: string | null;
}): boolean {
  const { status, provider, provider_message_id: id } = message;
  return status === 'queued' || (status === 'sent' && (provider !== SANDBOX || id !== null));
}
