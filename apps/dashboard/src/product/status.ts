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
import type { Tone } from '../ui/index.js';

export interface StatusMeaning {
  word: string;
  icon: LucideIcon;
  tone: Tone;
  /** One sentence for whoever wonders. */
  meaning: string;
}

/** Every status that the API speaks of, and how it is shown. */
export const STATUSES = {
  job: {
    pending: meant(
      'Pending',
      Clock,
      'pending',
      'Accepted and stored; waits for a worker, for its time or for its retry.',
    ),
    processing: meant('Running', Loader, 'running', 'A worker is on it now. The API calls this “processing”.'),
    done: meant('Done', CircleCheck, 'done', 'Finished with a result.'),
    failed: meant(
      'Failed',
      CircleX,
      'failed',
      'Ended without a result: retries used up, not worth a retry, or canceled.',
    ),
  },
  message: {
    draft: meant('Draft', PencilLine, 'pending', 'Kept in this browser tab; not sent.'),
    queued: meant('Queued', Clock, 'pending', 'Stored; the provider does not have it yet.'),
    sent: meant('Sent', Send, 'running', 'The provider has it; no delivery report yet.'),
    delivered: meant('Delivered', CheckCheck, 'done', 'The provider reports that it arrived.'),
    failed: meant('Failed', CircleX, 'failed', 'The provider refused it, or could not deliver it.'),
    bounced: meant('Bounced', Undo2, 'failed', 'The recipient’s server returned it; the address is suppressed now.'),
    complained: meant('Complained', Flag, 'failed', 'The recipient marked it as spam; the address is suppressed now.'),
  },
  domain: {
    pending: meant('Pending', Clock, 'pending', 'Its TXT record was not found yet; it cannot send.'),
    verified: meant('Verified', BadgeCheck, 'done', 'Its TXT record was found; it may send.'),
  },
  senderId: {
    pending: meant('Pending', Clock, 'pending', 'The operator has not approved it; texts cannot be sent as it.'),
    approved: meant('Approved', BadgeCheck, 'done', 'Texts can be sent as it.'),
  },
  invite: {
    pending: meant('Invited', Clock, 'pending', 'The link was not used yet; it lasts 72 hours.'),
    expired: meant('Expired', TriangleAlert, 'warning', 'The link’s 72 hours are over; make a new one.'),
  },
} as const satisfies Record<string, Record<string, StatusMeaning>>;

export type StatusKind = keyof typeof STATUSES;
export type StatusOf<Kind extends StatusKind> = keyof (typeof STATUSES)[Kind];

/** How a status is shown. One that a newer server made up is shown by its own name. */
export function meaningOf(kind: StatusKind, status: string): StatusMeaning {
  const known: Record<string, StatusMeaning> = STATUSES[kind];
  return known[status] ?? meant(status, Clock, 'pending', 'This page does not know this status; reload it.');
}

function meant(word: string, icon: LucideIcon, tone: Tone, meaning: string): StatusMeaning {
  return { word, icon, tone, meaning };
}
