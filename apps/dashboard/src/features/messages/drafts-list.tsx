import { PencilLine } from 'lucide-react';
import { StatusBadge } from '../../product/status.js';
import { Button, EmptyState } from '../../ui/index.js';
import type { EmailDraft } from './email-draft.js';
import { folderOf } from './folders.js';

export interface DraftsListProps {
  /** Null if there is no draft. */
  draft: EmailDraft | null;
  onOpen: () => void;
}

/** The draft of this tab. */
export function DraftsList({ draft, onOpen }: DraftsListProps) {
  if (!draft) {
    const { title, text } = folderOf('drafts').empty;
    return (
      <EmptyState icon={<PencilLine />} title={title} actions={<Button onClick={onOpen}>Compose</Button>}>
        {text}
      </EmptyState>
    );
  }
  return (
    <ul aria-label="Drafts">
      <li className="flex items-center justify-between gap-3 px-4 py-3">
        <div className="flex min-w-0 flex-col gap-1">
          <span className="truncate font-medium">{draft.to.trim() || 'No recipient yet'}</span>
          <span className="truncate text-muted">{draft.subject.trim() || 'No subject yet'}</span>
        </div>
        <span className="flex shrink-0 items-center gap-3">
          <StatusBadge kind="message" status="draft" />
          <Button size="small" onClick={onOpen} data-row-link>
            Continue
          </Button>
        </span>
      </li>
    </ul>
  );
}
