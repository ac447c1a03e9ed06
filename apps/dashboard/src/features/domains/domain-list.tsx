import { getRouteApi } from '@tanstack/react-router';
import { Globe } from 'lucide-react';
import { useRef } from 'react';
import { useList } from '../../api/use-list.js';
import { useRowShortcuts } from '../../keyboard/use-row-shortcuts.js';
import { StatusBadge } from '../../product/status-badge.js';
import { useCan } from '../../session/use-session.js';
import { ListTable } from '../../shell/list-table.js';
import { RowToggle } from '../../shell/row-toggle.js';
import { Button, type Column, EmptyState, Panel, type TableHandle, timeColumn } from '../../ui/index.js';
import { type Domain, DomainDetail } from './domain-detail.js';

const route = getRouteApi('/app/domains');

export function DomainList({ onAdd }: { onAdd: () => void }) {
  const { id } = route.useSearch();
  const canChange = useCan()('senders');
  const list = useList('listDomains');
  const table = useRef<TableHandle>(null);
  useRowShortcuts(table, 'Domains');
  return (
    <Panel padding="none">
      <ListTable
        ref={table}
        list={list}
        what="domain"
        caption="Domains"
        columns={columns(id)}
        currentId={id ?? null}
        detail={(domain) => <DomainDetail key={domain.id} domain={domain} />}
        skeletonRows={3}
        empty={
          <EmptyState
            icon={<Globe />}
            title="Only the default sender works until a domain is verified."
            actions={canChange && <Button onClick={onAdd}>Add domain</Button>}
          >
            {canChange
              ? 'Add the domain that your emails should come from, and publish one TXT record.'
              : 'Owners and admins can add a domain.'}
          </EmptyState>
        }
      />
    </Panel>
  );
}

function columns(openId: string | undefined): Column<Domain>[] {
  return [
    {
      header: 'Domain',
      card: 'title',
      cell: (domain) => {
        const isOpen = domain.id === openId;
        return (
          <RowToggle to="/domains" search={isOpen ? {} : { id: domain.id }} replace resetScroll={false} isOpen={isOpen}>
            {domain.domain}
          </RowToggle>
        );
      },
    },
    {
      header: 'Status',
      width: '160px',
      card: 'end',
      cell: ({ status }) => <StatusBadge kind="domain" status={status} />,
    },
    timeColumn({ header: 'Added', width: '160px' }, ({ created_at }) => created_at),
  ];
}
