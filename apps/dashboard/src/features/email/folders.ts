import { EMAIL_STATUSES, type MessageStatus } from '@jobline/contracts';
import { Inbox, type LucideIcon, PencilLine, ShieldBan } from 'lucide-react';
import { meaningOf } from '../../product/status.js';

/** What the address names; without it: all that was sent. */
export type Folder = MessageStatus | 'drafts' | 'suppressed';

export interface FolderMeaning {
  /** `all` stands for none in the address. */
  value: Folder | 'all';
  label: string;
  icon: LucideIcon;
  /** What it says when there is nothing in it. */
  empty: { title: string; text: string };
}

const OF_STATUS: Readonly<Record<MessageStatus, string>> = {
  queued: 'What the provider does not have yet stands here, mostly for a moment.',
  sent: 'What the provider has and has not reported on stands here.',
  delivered: 'Delivered means that the provider reported it. Its reports have to be set up: see the documentation.',
  bounced: 'Good. Whoever’s mail bounces for good is suppressed and written to no more.',
  failed: 'Good. What a provider refuses or cannot deliver is found here, with its words.',
  complained: 'Good. Whoever marks a mail as spam is suppressed and written to no more.',
};

/** In the order in which people ask for them. */
const ORDER: readonly MessageStatus[] = ['delivered', 'bounced', 'failed', 'complained', 'sent', 'queued'];

const STATUS_FOLDERS = [...EMAIL_STATUSES]
  .sort((a, b) => ORDER.indexOf(a) - ORDER.indexOf(b))
  .map((value): FolderMeaning => {
    const { word, icon } = meaningOf('message', value);
    return { value, label: word, icon, empty: { title: `No ${word.toLowerCase()} emails`, text: OF_STATUS[value] } };
  });

const ALL: FolderMeaning = {
  value: 'all',
  label: 'All sent',
  icon: Inbox,
  empty: { title: 'Nothing sent yet', text: 'Write the first email, or have a send_email job do it.' },
};
const DRAFTS: FolderMeaning = {
  value: 'drafts',
  label: 'Drafts',
  icon: PencilLine,
  empty: { title: 'No draft', text: 'What you write is kept in this tab until it is sent or discarded.' },
};
const SUPPRESSED: FolderMeaning = {
  value: 'suppressed',
  label: 'Suppressed',
  icon: ShieldBan,
  empty: {
    title: 'Nobody is suppressed',
    text: 'Addresses come here by a hard bounce or a complaint, and are written to no more.',
  },
};

export const FOLDERS: readonly FolderMeaning[] = [ALL, ...STATUS_FOLDERS, DRAFTS, SUPPRESSED];

export function folderOf(value: Folder | undefined): FolderMeaning {
  return FOLDERS.find((folder) => folder.value === value) ?? ALL;
}
