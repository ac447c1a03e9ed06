import { FlaskConical } from 'lucide-react';
import { Badge, StatusBadge, Tooltip } from '../../ui/index.js';
import { SANDBOX, type Text } from './use-texts.js';

/** Where it is. What the sandbox has says so, and never that it was sent. */
export function TextStatus({ text: { status, provider } }: { text: Pick<Text, 'status' | 'provider'> }) {
  if (provider !== SANDBOX) return <StatusBadge kind="message" status={status} />;
  return (
    <span className="inline-flex min-w-0 flex-wrap gap-1">
      {status !== 'sent' && <StatusBadge kind="message" status={status} />}
      <Tooltip content="No SMS provider is set up: the sandbox keeps texts and sends none.">
        <Badge tone="warning" icon={FlaskConical}>
          Recorded, not sent
        </Badge>
      </Tooltip>
    </span>
  );
}
