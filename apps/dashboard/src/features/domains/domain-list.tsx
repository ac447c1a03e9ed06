import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { Globe } from 'lucide-react';
import { useForm } from 'react-hook-form';
import { useChange } from '../../api/use-change.js';
import { useList } from '../../api/use-list.js';
import { StatusBadge } from '../../product/status.js';
import { useCan } from '../../session/use-session.js';
import { TextField } from '../../shell/control-field.js';
import { FormDialog } from '../../shell/form-dialog.js';
import { ListTable, RowToggle } from '../../shell/list-table.js';
import { Button, EmptyState, Panel, timeColumn } from '../../ui/index.js';
import { type Domain, DomainDetail } from './domain-detail.js';

const route = getRouteApi('/app/domains');

export function DomainList({ onAdd }: { onAdd: () => void }) {
  const { id } = route.useSearch();
  const canChange = useCan()('senders');
  const list = useList('listDomains');
  return (
    <Panel padding="none">
      <ListTable
        shortcuts="Domains"
        list={list}
        what="domain"
        caption="Domains"
        columns={[
          {
            header: 'Domain',
            card: 'title',
            cell: (row) => {
              const isOpen = row.id === id;
              const search = isOpen ? {} : { id: row.id };
              return (
                <RowToggle to="/domains" search={search} replace resetScroll={false} isOpen={isOpen}>
                  {row.domain}
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
          timeColumn<Domain>({ header: 'Added', width: '160px' }, ({ created_at }) => created_at),
        ]}
        currentId={id ?? null}
        detail={(domain) => <DomainDetail key={domain.id} domain={domain} />}
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

/** Adds a domain and opens its row, which shows the DNS record to publish. */
export function AddDomain({ onClose }: { onClose: () => void }) {
  const create = useChange((api, body: { domain: string }) => api.call('createDomain', { body }), 'listDomains');
  const navigate = useNavigate();
  const form = useForm({ defaultValues: { domain: '' } });
  return (
    <FormDialog
      title="Add domain"
      description="To prove that the domain is yours, you publish a TXT record, which is shown in the next step."
      action="Add domain"
      form={form}
      onClose={onClose}
      onSubmit={async (body) => {
        const { id } = await create(body);
        onClose();
        void navigate({ to: '/domains', search: { id }, replace: true });
      }}
    >
      <TextField
        form={form}
        name="domain"
        label="Domain"
        hint="The part after the @, such as acme.com or mail.acme.com."
        inputMode="url"
        exact
        placeholder="acme.com"
        rules={{ required: 'Enter a domain, such as acme.com.' }}
        required
      />
    </FormDialog>
  );
}
