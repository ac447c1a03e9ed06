import type { Schemas } from '@jobline/client';
import { MessageSquareText } from 'lucide-react';
import { useState } from 'react';
import { useForm } from 'react-hook-form';
import { useChange } from '../../api/use-change.js';
import { useList } from '../../api/use-list.js';
import { StatusBadge } from '../../product/status.js';
import { useCan } from '../../session/use-session.js';
import { DeleteDialog } from '../../shell/confirm-dialog.js';
import { TextField } from '../../shell/control-field.js';
import { FormDialog } from '../../shell/form-dialog.js';
import { ListTable } from '../../shell/list-table.js';
import { actionColumn, Button, EmptyState, Panel, timeColumn, toast } from '../../ui/index.js';

type SenderId = Schemas['SenderId'];

export function SenderIdList({ onAdd }: { onAdd: () => void }) {
  const canChange = useCan()('senders');
  const list = useList('listSenderIds');
  const [removing, setRemoving] = useState<SenderId | null>(null);
  // Without operator approval, usable entries have no status.
  const hasStatus = list.rows?.some(({ status }) => status !== undefined) ?? false;
  const removeColumn = actionColumn<SenderId>('Remove', (senderId) => ({
    verb: 'Remove',
    label: `Remove ${senderId.sender_id}`,
    onClick: () => setRemoving(senderId),
  }));
  return (
    <Panel padding="none">
      <ListTable
        list={list}
        what="sender ID"
        caption="Sender IDs"
        columns={[
          {
            header: 'Sender ID',
            card: 'title',
            cell: ({ sender_id }) => <span className="font-medium">{sender_id}</span>,
          },
          ...(hasStatus ? [STATUS] : []),
          timeColumn<SenderId>({ header: 'Added', width: '160px' }, ({ created_at }) => created_at),
          ...(canChange ? [removeColumn] : []),
        ]}
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
      {removing && (
        <DeleteDialog
          from="listSenderIds"
          remove={(api) => api.call('deleteSenderId', { path: { id: removing.id } })}
          title={`Remove “${removing.sender_id}”?`}
          onClose={() => setRemoving(null)}
        >
          SMS can no longer be sent with this sender ID, including those of waiting jobs.
        </DeleteDialog>
      )}
    </Panel>
  );
}

const STATUS = {
  header: 'Status',
  width: '160px',
  cell: ({ status = 'approved' }: SenderId) => <StatusBadge kind="senderId" status={status} />,
};

export function AddSenderId({ onClose }: { onClose: () => void }) {
  const create = useChange((api, body: { sender_id: string }) => api.call('createSenderId', { body }), 'listSenderIds');
  const form = useForm({ defaultValues: { sender_id: '' } });
  return (
    <FormDialog
      title="Add sender ID"
      description="The name or number that SMS come from. Register it with your SMS provider too, because networks reject unknown sender IDs."
      action="Add sender ID"
      form={form}
      onClose={onClose}
      onSubmit={async (body) => {
        const { status } = await create(body);
        if (status === 'pending') toast.success('Added. It can be used once the operator approves it.');
        onClose();
      }}
    >
      <TextField
        form={form}
        name="sender_id"
        label="Sender ID"
        hint="Up to 11 letters, digits, spaces and & . _ - with at least one letter; or a phone number, such as +254700000001."
        spellCheck={false}
        placeholder="ACME"
        rules={{ required: 'Enter a name or a number.' }}
        required
      />
    </FormDialog>
  );
}
