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

/** What statuses of one look have in common. Returns a function that adds the word, and one sentence that explains it. */
function look(icon: LucideIcon, tone: Tone) {
  return (word: string, meaning: string) => ({ word, icon, tone, meaning });
}

type StatusMeaning = ReturnType<ReturnType<typeof look>>;

const waiting = look(Clock, 'pending');
const unsent = look(PencilLine, 'pending');
const running = look(Loader, 'running');
const sent = look(Send, 'running');
const done = look(CircleCheck, 'done');
const arrived = look(CheckCheck, 'done');
const approved = look(BadgeCheck, 'done');
const failed = look(CircleX, 'failed');
const returned = look(Undo2, 'failed');
const reported = look(Flag, 'failed');
const expired = look(TriangleAlert, 'warning');

/** How each status of the API is shown. */
export const STATUSES = {
  job: {
    pending: waiting(
      'Pending',
      'Accepted and stored. The job waits for a worker, its scheduled time or its next retry.',
    ),
    processing: running('Running', 'A worker is running the job. The API calls this status “processing”.'),
    done: done('Done', 'Finished with a result.'),
    failed: failed('Failed', 'Finished without a result: no retries left, not retryable, or canceled.'),
  },
  condition: {
    waiting: waiting('Waiting', 'The job has not done enough yet.'),
    met: done('Met', 'The job has done enough. This stays so, even if it is retried.'),
    failed: failed('Missed', 'The job ended otherwise. Only a retry of it can change this.'),
  },
  message: {
    draft: unsent('Draft', 'Kept in this browser tab. Not sent.'),
    queued: waiting('Queued', 'Stored. The provider has not accepted it yet.'),
    sent: sent('Sent', 'The provider accepted it. There is no delivery report yet.'),
    delivered: arrived('Delivered', 'The provider reported that it was delivered.'),
    failed: failed('Failed', 'The provider rejected it or could not deliver it.'),
    bounced: returned('Bounced', 'The recipient’s server returned it. The address is suppressed now.'),
    complained: reported('Complained', 'The recipient marked it as spam. The address is suppressed now.'),
  },
  delivery: {
    pending: waiting('Pending', 'Another attempt follows.'),
    delivered: arrived('Delivered', 'The receiver has accepted it.'),
    failed: failed('Failed', 'No attempt follows by itself. It can be delivered again.'),
  },
  domain: {
    pending: waiting('Pending', 'Its TXT record has not been found yet. Emails cannot be sent from this domain.'),
    verified: approved('Verified', 'Its TXT record was found. Emails can be sent from this domain.'),
  },
  senderId: {
    pending: waiting('Pending', 'The operator has not approved it yet. SMS cannot be sent with this sender ID.'),
    approved: approved('Approved', 'SMS can be sent with this sender ID.'),
  },
  invite: {
    pending: waiting('Invited', 'The link has not been used yet. It is valid for 72 hours.'),
    expired: expired('Expired', 'The 72 hours of the link have passed. Create a new link.'),
  },
} as const satisfies Record<string, Record<string, StatusMeaning>>;

type StatusKind = keyof typeof STATUSES;
type StatusOf<Kind extends StatusKind> = keyof (typeof STATUSES)[Kind];

/** Returns how a status is shown. An unknown status of a newer server is shown by its own name. */
export function meaningOf(kind: StatusKind, status: string): StatusMeaning {
  const known: Record<string, StatusMeaning> = STATUSES[kind];
  return known[status] ?? waiting(status, 'This page does not know this status. Reload the page.');
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
      <Icon size={14} className="shrink-0" />
      {word}
    </span>
  );
}
