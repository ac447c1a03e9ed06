import { Link } from '@tanstack/react-router';
import type { Ref } from 'react';
import type { PendingRows } from '../../api/use-list.js';
import { MessageStatusBadge } from '../../product/message/message-status.js';
import { ListTable } from '../../shell/list-table.js';
import { Button, EmptyState, rowLinkClasses, type TableHandle, Time } from '../../ui/index.js';
import { type FolderMeaning, folderOf } from './folders.js';
import { type Email, RECIPIENT_KINDS } from './model.js';
import { PAGE_SIZE, type useEmails } from './queries.js';

interface EmailListProps {
  folder: FolderMeaning['value'];
  emails: ReturnType<typeof useEmails>;
  pending: PendingRows<Email>;
  currentId: string | undefined;
  onCompose: () => void;
  ref: Ref<TableHandle>;
}

/** The emails of a folder, each in two lines. */
export function EmailList({ folder, emails, pending, currentId, onCompose, ref }: EmailListProps) {
  const { label, icon: Icon, empty } = folderOf(folder === 'all' ? undefined : folder);
  return (
    <ListTable
      ref={ref}
      list={emails}
      pending={pending}
      pageSize={PAGE_SIZE}
      what="email"
      total
      layout="cards"
      caption={`Emails, ${label}`}
      columns={[]}
      currentId={currentId}
      skeletonRows={8}
      card={(email) => <Row email={email} folder={folder} />}
      cardHeight="h-[4.75rem]"
      empty={
        <EmptyState
          icon={<Icon />}
          title={empty.title}
          actions={folder === 'all' && <Button onClick={onCompose}>Compose</Button>}
        >
          {empty.text}
        </EmptyState>
      }
    />
  );
}

function Row({ email, folder }: { email: Email; folder: FolderMeaning['value'] }) {
  return (
    <div className="flex flex-col gap-1.5">
      <div className="flex items-baseline justify-between gap-3">
        <Link
          to="/email"
          search={{ ...(folder !== 'all' && { folder }), id: email.id }}
          resetScroll={false}
          className={rowLinkClasses}
        >
          {email.to}
          {email.copied_as && <span className="text-meta text-muted"> ({RECIPIENT_KINDS[email.copied_as]})</span>}
        </Link>
        <Time value={email.created_at} className="shrink-0 text-meta text-muted" />
      </div>
      <div className="flex items-center justify-between gap-3">
        <span className="min-w-0 truncate text-body text-muted">{email.subject}</span>
        <span className="shrink-0">
          <MessageStatusBadge message={email} channel="email" />
        </span>
      </div>
    </div>
  );
}
