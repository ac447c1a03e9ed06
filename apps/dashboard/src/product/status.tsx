import {
  BadgeCheck,
  CheckCheck,
  CircleCheck,
  CircleX,
  Clock,
  Flag,
  Loader,
  type LucideIcon,
  PencilLine,
  Send,
  TriangleAlert,
  Undo2,
} from 'lucide-react';
import { Badge, cx, TONE_TEXT, type Tone, Tooltip, useInRow } from '../ui/index.js';

interface StatusMeaning {
  word: string;
  icon: LucideIcon;
  tone: Tone;
  /** One sentence that explains the status. */
  meaning: string;
}

/** How each status of the API is shown. */
export const STATUSES = {
  job: {
    pending: meant(
      'Pending',
      Clock,
      'pending',
      'Accepted and stored. The job waits for a worker, its scheduled time or its next retry.',
    ),
    processing: meant(
      'Running',
      Loader,
      'running',
      'A worker is running the job. The API calls this status “processing”.',
    ),
    done: meant('Done', CircleCheck, 'done', 'Finished with a result.'),
    failed: meant(
      'Failed',
      CircleX,
      'failed',
      'Finished without a result: no retries left, not retryable, or canceled.',
    ),
  },
  condition: {
    waiting: meant('Waiting', Clock, 'pending', 'The job has not done enough yet.'),
    met: meant('Met', CircleCheck, 'done', 'The job has done enough. This stays so, even if it is retried.'),
    failed: meant('Missed', CircleX, 'failed', 'The job ended otherwise. Only a retry of it can change this.'),
  },
  message: {
    draft: meant('Draft', PencilLine, 'pending', 'Kept in this browser tab. Not sent.'),
    queued: meant('Queued', Clock, 'pending', 'Stored. The provider has not accepted it yet.'),
    sent: meant('Sent', Send, 'running', 'The provider accepted it. There is no delivery report yet.'),
    delivered: meant('Delivered', CheckCheck, 'done', 'The provider reported that it was delivered.'),
    failed: meant('Failed', CircleX, 'failed', 'The provider rejected it or could not deliver it.'),
    bounced: meant('Bounced', Undo2, 'failed', 'The recipient’s server returned it. The address is suppressed now.'),
    complained: meant('Complained', Flag, 'failed', 'The recipient marked it as spam. The address is suppressed now.'),
  },
  delivery: {
    pending: meant('Pending', Clock, 'pending', 'Another attempt follows.'),
    delivered: meant('Delivered', CheckCheck, 'done', 'The receiver has accepted it.'),
    failed: meant('Failed', CircleX, 'failed', 'No attempt follows by itself. It can be delivered again.'),
  },
  domain: {
    pending: meant(
      'Pending',
      Clock,
      'pending',
      'Its TXT record has not been found yet. Emails cannot be sent from this domain.',
    ),
    verified: meant('Verified', BadgeCheck, 'done', 'Its TXT record was found. Emails can be sent from this domain.'),
  },
  senderId: {
    pending: meant(
      'Pending',
      Clock,
      'pending',
      'The operator has not approved it yet. SMS cannot be sent with this sender ID.',
    ),
    approved: meant('Approved', BadgeCheck, 'done', 'SMS can be sent with this sender ID.'),
  },
  invite: {
    pending: meant('Invited', Clock, 'pending', 'The link has not been used yet. It is valid for 72 hours.'),
    expired: meant('Expired', TriangleAlert, 'warning', 'The 72 hours of the link have passed. Create a new link.'),
  },
} as const satisfies Record<string, Record<string, StatusMeaning>>;

type StatusKind = keyof typeof STATUSES;
type StatusOf<Kind extends StatusKind> = keyof (typeof STATUSES)[Kind];

/** Returns how a status is shown. An unknown status of a newer server is shown by its own name. */
export function meaningOf(kind: StatusKind, status: string): StatusMeaning {
  const known: Record<string, StatusMeaning> = STATUSES[kind];
  return known[status] ?? meant(status, Clock, 'pending', 'This page does not know this status. Reload the page.');
}

function meant(word: string, icon: LucideIcon, tone: Tone, meaning: string): StatusMeaning {
  return { word, icon, tone, meaning };
}

type StatusBadgeProps = {
  [Kind in StatusKind]: { kind: Kind; status: StatusOf<Kind> | (string & {}) };
}[StatusKind] & {
  /** Replaces the usual word, for example with "Cancel requested". */
  word?: string | undefined;
};

/** A status with icon and word. Hover or focus shows its meaning. */
export function StatusBadge({ kind, status, word }: StatusBadgeProps) {
  const inRow = useInRow();
  const { word: usual, icon, tone, meaning } = meaningOf(kind, status);
  return (
    <Tooltip content={meaning}>
      <Badge tone={tone} icon={icon} tabIndex={inRow ? undefined : 0} spin={kind === 'job' && status === 'processing'}>
        {word ?? usual}
      </Badge>
    </Tooltip>
  );
}

/** A status without a tooltip, so that the keyboard stops only at the links next to it. */
export function StatusText({ kind, status }: { kind: StatusKind; status: string }) {
  const { word, icon: Icon, tone } = meaningOf(kind, status);
  return (
    <span className={cx('inline-flex items-center gap-1.5 text-meta font-medium', TONE_TEXT[tone])}>
      <Icon aria-hidden="true" size={14} className="shrink-0" />
      {word}
    </span>
  );
}
