import { EMAIL_STATUSES, type MessageStatus } from '@jobline/contracts';
import { Inbox, type LucideIcon, PencilLine, ShieldBan } from 'lucide-react';
import { meaningOf } from '../../product/status.js';

/** The folder in the URL. Without it, all sent emails are shown. */
export type Folder = MessageStatus | 'drafts' | 'suppressed';

export interface FolderMeaning {
  /** `all`: no folder in the URL. */
  value: Folder | 'all';
  label: string;
  icon: LucideIcon;
  /** The text of an empty folder. */
  empty: { title: string; text: string };
}

const EMPTY_TEXTS: Readonly<Record<MessageStatus, string>> = {
  queued: 'Emails that the provider has not accepted yet. They usually stay here only for a moment.',
  sent: 'Emails that the provider accepted and has not reported on yet.',
  delivered:
    'Emails that the provider reported as delivered. Delivery reports must be configured: see the documentation.',
  bounced: 'Emails that the recipient’s server returned. After a permanent bounce, the address is suppressed.',
  failed: 'Emails that the provider rejected or could not deliver, with the reason.',
  complained: 'Emails that recipients marked as spam. Their addresses are suppressed.',
};

/** The order of the folders, by how often users need them. */
const ORDER: readonly MessageStatus[] = ['delivered', 'bounced', 'failed', 'complained', 'sent', 'queued'];

const STATUS_FOLDERS = [...EMAIL_STATUSES]
  .sort((a, b) => ORDER.indexOf(a) - ORDER.indexOf(b))
  .map((value): FolderMeaning => {
    const { word, icon } = meaningOf('message', value);
    return { value, label: word, icon, empty: { title: `No ${word.toLowerCase()} emails`, text: EMPTY_TEXTS[value] } };
  });

const ALL: FolderMeaning = {
  value: 'all',
  label: 'All sent',
  icon: Inbox,
  empty: { title: 'Nothing sent yet', text: 'Write the first email, or submit a send_email job.' },
};
const DRAFTS: FolderMeaning = {
  value: 'drafts',
  label: 'Drafts',
  icon: PencilLine,
  empty: { title: 'No draft', text: 'A draft is kept in this tab until it is sent or discarded.' },
};
const SUPPRESSED: FolderMeaning = {
  value: 'suppressed',
  label: 'Suppressed',
  icon: ShieldBan,
  empty: {
    title: 'No suppressed addresses',
    text: 'An address is suppressed after a hard bounce or a complaint. No more emails are sent to it.',
  },
};

export const FOLDERS: readonly FolderMeaning[] = [ALL, ...STATUS_FOLDERS, DRAFTS, SUPPRESSED];

export function folderOf(value: Folder | undefined): FolderMeaning {
  return FOLDERS.find((folder) => folder.value === value) ?? ALL;
}
