import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import { useShortcut } from '../../keyboard/use-shortcut.js';
import { useCan } from '../../session/use-session.js';
import { Page } from '../../shell/page-frame.js';
import { Button, Tabs } from '../../ui/index.js';
import { AddDomain, DomainList } from './domain-list.js';
import { AddSenderId, SenderIdList } from './sender-id-list.js';

const route = getRouteApi('/app/domains');

export function DomainsPage() {
  const tab = route.useSearch().tab ?? 'domains';
  const navigate = useNavigate();
  const canChange = useCan()('senders');
  const [adding, setAdding] = useState(false);
  const label = tab === 'domains' ? 'Add domain' : 'Add sender ID';
  const add = () => setAdding(true);
  const close = () => setAdding(false);
  useShortcut({ keys: 'n', label, group: 'Domains', run: add }, { enabled: canChange });

  return (
    <Page
      title="Domains"
      description={
        canChange
          ? 'The senders of your organization: domains for email, sender IDs for SMS.'
          : 'The senders of your organization. Owners and admins can change them.'
      }
      actions={
        canChange && (
          <Button variant="primary" icon={<Plus aria-hidden="true" />} onClick={add}>
            {label}
          </Button>
        )
      }
    >
      <Tabs
        label="Senders"
        manual
        value={tab}
        onChange={(next) =>
          void navigate({ to: '/domains', search: next === 'sender-ids' ? { tab: next } : {}, replace: true })
        }
        tabs={[
          { value: 'domains', label: 'Domains', content: <DomainList onAdd={add} /> },
          { value: 'sender-ids', label: 'Sender IDs', content: <SenderIdList onAdd={add} /> },
        ]}
      />
      {adding && (tab === 'domains' ? <AddDomain onClose={close} /> : <AddSenderId onClose={close} />)}
    </Page>
  );
}
