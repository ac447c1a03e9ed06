import { FlaskConical } from 'lucide-react';
import { Badge, StatusBadge, Tooltip } from '../../ui/index.js';
import { type Email, SANDBOX } from './use-emails.js';

/** Where it is. What the sandbox has says so, and never that it was sent. */
export function EmailStatus({ email: { status, provider } }: { email: Pick<Email, 'status' | 'provider'> }) {
  if (provider !== SANDBOX) return <StatusBadge kind="message" status={status} />;
  return (
    <span className="inline-flex min-w-0 flex-wrap gap-1">
      {status !== 'sent' && <StatusBadge kind="message" status={status} />}
      <RecordedBadge />
    </span>
  );
}

export function RecordedBadge() {
  return (
    <Tooltip content="No email provider is set up: the sandbox keeps messages and sends nothing.">
      <Badge tone="warning" icon={FlaskConical}>
        Recorded, not sent
      </Badge>
    </Tooltip>
  );
}
