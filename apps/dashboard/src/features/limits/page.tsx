import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { PrimaryAction } from '../../keyboard/primary-action.js';
import { useCan } from '../../session/use-session.js';
import { Page } from '../../shell/page-frame.js';
import { Tabs } from '../../ui/index.js';
import { LimitForm } from './limit-form.js';
import { LimitList } from './limit-list.js';
import type { Limit } from './queries.js';
import { TypeList } from './type-list.js';

const route = getRouteApi('/app/limits');

export function LimitsPage() {
  const tab = route.useSearch().tab ?? 'limits';
  const navigate = useNavigate();
  const canChange = useCan()('limits');
  // Here and not in the row, because a window that becomes narrower replaces the rows.
  const [form, setForm] = useState<Limit | 'new' | null>(null);
  const add = () => setForm('new');

  return (
    <Page
      title="Limits"
      description={
        canChange
          ? 'How many jobs run at a time, how fast they start, and in which order. Jobs above a limit wait.'
          : 'How many jobs run at a time, and how fast they start. Owners and admins can change limits.'
      }
      actions={canChange && <PrimaryAction label="Add limit" group="Limits" run={add} />}
    >
      <Tabs
        label="Limits"
        manual
        value={tab}
        onChange={(next) =>
          void navigate({ to: '/limits', search: next === 'types' ? { tab: next } : {}, replace: true })
        }
        tabs={[
          { value: 'limits', label: 'Limits', content: <LimitList onAdd={add} onEdit={setForm} /> },
          { value: 'types', label: 'Job types', content: <TypeList /> },
        ]}
      />
      {form && <LimitForm {...(form !== 'new' && { limit: form })} onClose={() => setForm(null)} />}
    </Page>
  );
}
