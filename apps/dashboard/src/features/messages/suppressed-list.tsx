import type { Schemas } from '@jobline/client';
import { useState } from 'react';
import { useList } from '../../api/use-list.js';
import { ListTable } from '../../shell/list-table.js';
import { Button, type Column, EmptyState, Time, textColumn } from '../../ui/index.js';
import { folderOf } from './folders.js';
import { ConfirmLift } from './lift-suppression.js';

type Suppression = Schemas['Suppression'];

const REASONS = { bounce: 'Bounced', complaint: 'Complained' } as const;

/** The addresses to which no emails are sent. Owners and admins can remove a suppression. */
export function SuppressedList() {
  const list = useList('listSuppressions');
  const [asked, setAsked] = useState<Suppression | null>(null);
  const { icon: Icon, empty } = folderOf('suppressed');
  return (
    <>
      <ListTable
        list={list}
        what="address"
        many="addresses"
        total
        caption="Suppressed addresses"
        columns={columnsOf(setAsked)}
        empty={
          <EmptyState icon={<Icon />} title={empty.title}>
            {empty.text}
          </EmptyState>
        }
      />
      {asked && <ConfirmLift address={asked.address} id={asked.id} onClose={() => setAsked(null)} />}
    </>
  );
}

function columnsOf(ask: (suppression: Suppression) => void): readonly Column<Suppression>[] {
  return [
    textColumn({ header: 'Address', card: 'title', className: 'font-medium' }, ({ address }) => address),
    { header: 'Reason', width: '128px', cell: ({ reason }) => REASONS[reason] },
    { header: 'Since', width: '128px', cell: ({ created_at }) => <Time value={created_at} /> },
    {
      header: 'Remove',
      hideHeader: true,
      width: '112px',
      align: 'end',
      card: 'end',
      cell: (suppression) => (
        <Button size="small" onClick={() => ask(suppression)} aria-label={`Remove ${suppression.address}`}>
          Remove
        </Button>
      ),
    },
  ];
}
