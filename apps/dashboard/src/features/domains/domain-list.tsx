import { getRouteApi, Link } from '@tanstack/react-router';
import { ChevronRight, Globe } from 'lucide-react';
import { useRef } from 'react';
import { useShortcut } from '../../keyboard/use-shortcut.js';
import { StatusBadge } from '../../product/status-badge.js';
import { useCan } from '../../session/use-session.js';
import { ListTable } from '../../shell/list-table.js';
import { Button, type Column, cx, EmptyState, Panel, rowLinkClasses, type TableHandle, Time } from '../../ui/index.js';
import { DomainDetail } from './domain-detail.js';
import { type Domain, useDomains } from './use-domains.js';

const route = getRouteApi('/app/domains');

export function DomainList({ onAdd }: { onAdd: () => void }) {
  const { id } = route.useSearch();
  const canChange = useCan()('senders');
  const list = useDomains();
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
        rowId={rowId}
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

const rowId = ({ id }: Domain) => id;

function columns(openId: string | undefined): Column<Domain>[] {
  return [
    {
      id: 'domain',
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
      id: 'status',
      header: 'Status',
      width: '160px',
      card: 'end',
      cell: ({ status }) => <StatusBadge kind="domain" status={status} />,
    },
    {
      id: 'added',
      header: 'Added',
      width: '160px',
      cell: ({ created_at }) => <Time value={created_at} className="text-muted" />,
    },
  ];
}
