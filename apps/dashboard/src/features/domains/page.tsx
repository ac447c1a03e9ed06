import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { PrimaryAction } from '../../keyboard/primary-action.js';
import { useCan } from '../../session/use-session.js';
import { Page } from '../../shell/page-frame.js';
import { Tabs } from '../../ui/index.js';
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

  return (
    <Page
      title="Domains"
      description={
        canChange
          ? 'The senders of your organization: domains for email, sender IDs for SMS.'
          : 'The senders of your organization. Owners and admins can change them.'
      }
      actions={canChange && <PrimaryAction label={label} group="Domains" run={add} />}
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
