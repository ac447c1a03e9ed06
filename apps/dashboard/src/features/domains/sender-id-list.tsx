import { useQueryClient } from '@tanstack/react-query';
import { MessageSquareText } from 'lucide-react';
import { useMemo, useState } from 'react';
import { take } from '../../api/api-client.js';
import { StatusBadge } from '../../product/status-badge.js';
import { useApi } from '../../services.js';
import { useCan } from '../../session/use-session.js';
import { ConfirmDialog } from '../../shell/confirm-dialog.js';
import { ListTable } from '../../shell/list-table.js';
import { Button, type Column, EmptyState, Panel, Time } from '../../ui/index.js';
import { refreshSenderIds, type SenderId, useSenderIds } from './use-sender-ids.js';

export function SenderIdList({ onAdd }: { onAdd: () => void }) {
  const canChange = useCan()('senders');
  const list = useSenderIds();
  const [removing, setRemoving] = useState<SenderId | null>(null);
  const hasStatus = list.rows?.some(({ status }) => status !== undefined) ?? false;
  const shown = useMemo(
    () => [...columns(hasStatus), ...(canChange ? [removeColumn(setRemoving)] : [])],
    [hasStatus, canChange],
  );
  return (
    <Panel padding="none">
      <ListTable
        list={list}
        what="sender ID"
        caption="Sender IDs"
        columns={shown}
        rowId={rowId}
        skeletonRows={3}
        empty={
          <EmptyState
            icon={<MessageSquareText />}
            title="No sender IDs. SMS come from the provider’s default sender."
            actions={canChange && <Button onClick={onAdd}>Add sender ID</Button>}
          >
            {canChange
              ? 'Add a name or a number that your SMS should come from.'
              : 'Owners and admins can add a sender ID.'}
          </EmptyState>
        }
      />
      {removing && <RemoveSenderId senderId={removing} onClose={() => setRemoving(null)} />}
    </Panel>
  );
}

const rowId = ({ id }: SenderId) => id;

/** The status column is shown only if the API returns a status. Without operator approval, usable entries have none. */
function columns(hasStatus: boolean): Column<SenderId>[] {
  const name: Column<SenderId> = {
    id: 'sender-id',
    header: 'Sender ID',
    card: 'title',
    cell: ({ sender_id }) => <span className="font-medium">{sender_id}</span>,
  };
  const status: Column<SenderId> = {
    id: 'status',
    header: 'Status',
    width: '160px',
    cell: ({ status = 'approved' }) => <StatusBadge kind="senderId" status={status} />,
  };
  const added: Column<SenderId> = {
    id: 'added',
    header: 'Added',
    width: '160px',
    cell: ({ created_at }) => <Time value={created_at} className="text-muted" />,
  };
  return hasStatus ? [name, status, added] : [name, added];
}

function removeColumn(onRemove: (senderId: SenderId) => void): Column<SenderId> {
  return {
    id: 'remove',
    header: 'Remove',
    hideHeader: true,
    width: '112px',
    align: 'end',
    card: 'end',
    cell: (senderId) => (
      <Button
        variant="ghost"
        size="small"
        className="-mr-2.5"
        aria-label={`Remove ${senderId.sender_id}`}
        onClick={() => onRemove(senderId)}
      >
        Remove
      </Button>
    ),
  };
}

function RemoveSenderId({ senderId, onClose }: { senderId: SenderId; onClose: () => void }) {
  const api = useApi();
  const queries = useQueryClient();
  return (
    <ConfirmDialog
      title={`Remove “${senderId.sender_id}”?`}
      verb="Remove"
      run={async () => {
        await take(api.DELETE('/org/sender-ids/{id}', { params: { path: { id: senderId.id } } }));
        await refreshSenderIds(queries);
      }}
      onDone={onClose}
      onClose={onClose}
    >
      SMS can no longer be sent with this sender ID, including those of waiting jobs.
    </ConfirmDialog>
  );
}
