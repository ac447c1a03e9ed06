import type { Jobline, Schemas } from '@jobline/client';
import { useState } from 'react';
import { useList } from '../../api/use-list.js';
import { DeleteDialog } from '../../shell/confirm-dialog.js';
import { ListTable } from '../../shell/list-table.js';
import { actionColumn, announce, Button, textColumn, timeColumn } from '../../ui/index.js';
import { EmptyFolder } from './folders.js';

type Suppression = Schemas['Suppression'];

const REASONS = { bounce: 'Bounced', complaint: 'Complained' } as const;

/** The addresses to which no emails are sent. Owners and admins can remove a suppression. */
export function SuppressedList() {
  const list = useList('listSuppressions');
  const [asked, setAsked] = useState<Suppression | null>(null);
  return (
    <>
      <ListTable
        list={list}
        what="address"
        many="addresses"
        total
        caption="Suppressed addresses"
        skeletonRows={8}
        columns={[
          textColumn({ header: 'Address', card: 'title', className: 'font-medium' }, nameOf),
          { header: 'Reason', width: '128px', cell: ({ reason }) => REASONS[reason] },
          timeColumn<Suppression>({ header: 'Since', width: '128px' }, ({ created_at }) => created_at),
          actionColumn<Suppression>('Remove', (one) => ({
            verb: 'Remove',
            label: `Remove ${nameOf(one)}`,
            onClick: () => setAsked(one),
          })),
        ]}
        empty={<EmptyFolder folder="suppressed" />}
      />
      {asked && <ConfirmLift address={nameOf(asked)} id={asked.id} onClose={() => setAsked(null)} />}
    </>
  );
}

/** Of an erased address only a hash is kept. */
function nameOf({ address }: Suppression): string {
  return address ?? 'Erased address';
}

/** Removes the suppression of an address whose suppression id is not known. */
export function LiftSuppression({ address, onLifted }: { address: string; onLifted?: () => void }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button size="small" onClick={() => setOpen(true)}>
        Remove the suppression
      </Button>
      {isOpen && <ConfirmLift address={address} onLifted={onLifted} onClose={() => setOpen(false)} />}
    </>
  );
}

interface ConfirmLiftProps {
  address: string;
  /** The id of the suppression, if it is known. */
  id?: string;
  onLifted?: (() => void) | undefined;
  /** Called after the suppression was removed or the user canceled. */
  onClose: () => void;
}

/** Asks for confirmation and removes a suppression, so that emails can be sent to the address again. */
function ConfirmLift({ address, id, onLifted, onClose }: ConfirmLiftProps) {
  return (
    <DeleteDialog
      from="listSuppressions"
      remove={async (api) => {
        const found = id ?? (await findSuppression(api, address))?.id;
        // If there is none, another user has removed it.
        if (found !== undefined) await api.call('deleteSuppression', { path: { id: found } });
      }}
      title={`Remove the suppression of ${address}?`}
      onDeleted={() => {
        announce(`Emails can be sent to ${address} again`); // a toast would cover the send button
        onClose();
        onLifted?.();
      }}
      onClose={onClose}
    >
      Emails are sent to this address again until it bounces or complains. Sending emails to people who do not want them
      harms your sender reputation.
    </DeleteDialog>
  );
}

/** The suppression of an address; null if there is none. */
export async function findSuppression(api: Jobline, address: string): Promise<Suppression | null> {
  const { data } = await api.page('listSuppressions', { query: { address } });
  return data[0] ?? null;
}
