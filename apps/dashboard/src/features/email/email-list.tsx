import { Link } from '@tanstack/react-router';
import { type Ref, useMemo } from 'react';
import { ApiError } from '../../api/api-error.js';
import { MessageStatusBadge } from '../../product/message/message-status.js';
import {
  Button,
  DataTable,
  EmptyState,
  ErrorState,
  LoadOlder,
  NewItems,
  rowLinkClasses,
  StaleNote,
  type TableHandle,
  Time,
} from '../../ui/index.js';
import { type FolderMeaning, folderOf } from './folders.js';
import { type Email, PAGE_SIZE, type useEmails } from './use-emails.js';

export interface EmailListProps {
  folder: FolderMeaning['value'];
  emails: ReturnType<typeof useEmails>;
  /** The emails that are shown. */
  rows: readonly Email[] | undefined;
  /** How many new emails are not shown yet. */
  hidden: number;
  onShowHidden: () => void;
  currentId: string | undefined;
  onCompose: () => void;
  ref: Ref<TableHandle>;
}

/** The emails of a folder, each in two lines. */
export function EmailList({ folder, emails, rows, hidden, onShowHidden, currentId, onCompose, ref }: EmailListProps) {
  const { label, icon: Icon, empty } = folderOf(folder === 'all' ? undefined : folder);
  const { error, isPlaceholderData: isOtherFolder } = emails;
  const card = useMemo(() => (email: Email) => <Row email={email} folder={folder} />, [folder]);
  if (error && (!rows || isOtherFolder)) {
    return (
      <ErrorState
        message={`The emails could not be loaded. ${error.message}`}
        requestId={error instanceof ApiError ? error.requestId : null}
        retrying={emails.isFetching}
        onRetry={() => void emails.refetch()}
      />
    );
  }
  return (
    <>
      {rows?.length !== 0 && (
        <div className="border-b border-line">
          <NewItems count={hidden} hasRows={rows !== undefined} what="email" onShow={onShowHidden} />
        </div>
      )}
      {error && (
        <div className="border-b border-line px-4 py-2">
          <StaleNote asOf={emails.dataUpdatedAt} />
        </div>
      )}
      <DataTable
        ref={ref}
        layout="cards"
        caption={`Emails, ${label}`}
        columns={[]}
        rows={rows}
        rowId={idOf}
        currentId={currentId}
        refetching={emails.isRefetching && isOtherFolder}
        skeletonRows={8}
        card={card}
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
      {rows && rows.length > 0 && (
        <LoadOlder
          what="email"
          count={PAGE_SIZE}
          shown={rows.length}
          hasMore={emails.hasNextPage}
          loading={emails.isFetchingNextPage}
          onLoad={() => void emails.fetchNextPage()}
        />
      )}
    </>
  );
}

const idOf = ({ id }: Email) => id;

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
