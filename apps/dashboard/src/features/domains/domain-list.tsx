import { getRouteApi, Link } from '@tanstack/react-router';
import { ChevronRight, Globe } from 'lucide-react';
import { useRef } from 'react';
import { useList } from '../../api/use-list.js';
import { useShortcut } from '../../keyboard/use-shortcut.js';
import { StatusBadge } from '../../product/status-badge.js';
import { useCan } from '../../session/use-session.js';
import { ListTable } from '../../shell/list-table.js';
import {
  Button,
  type Column,
  cx,
  EmptyState,
  Panel,
  rowLinkClasses,
  type TableHandle,
  timeColumn,
} from '../../ui/index.js';
import { type Domain, DomainDetail } from './domain-detail.js';

const route = getRouteApi('/app/domains');

export function DomainList({ onAdd }: { onAdd: () => void }) {
  const { id } = route.useSearch();
  const canChange = useCan()('senders');
  const list = useList('/org/domains');
  const table = useRef<TableHandle>(null);
  useShortcut({ keys: 'j', label: 'Next row', group: 'Domains', run: () => table.current?.move(1) });
  useShortcut({ keys: 'k', label: 'Previous row', group: 'Domains', run: () => table.current?.move(-1) });
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
          <Link
            to="/domains"
            search={isOpen ? {} : { id: domain.id }}
            replace
            resetScroll={false}
            aria-expanded={isOpen}
            title={domain.domain}
            className={cx(rowLinkClasses, 'flex! items-center gap-2')}
          >
            <ChevronRight
              aria-hidden="true"
              size={14}
              className={cx('shrink-0 text-muted transition-transform', isOpen && 'rotate-90')}
            />
            <span className="truncate">{domain.domain}</span>
          </Link>
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
