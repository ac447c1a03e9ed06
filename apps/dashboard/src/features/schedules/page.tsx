import { useNavigate } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import { useShortcut } from '../../keyboard/use-shortcut.js';
import { Page } from '../../shell/page-frame.js';
import { Button } from '../../ui/index.js';
import type { Schedule } from './queries.js';
import { EditSchedule, NewSchedule } from './schedule-form.js';
import { ScheduleList } from './schedule-list.js';

export function SchedulesPage() {
  const navigate = useNavigate();
  // Here and not in the row, because a window that becomes narrower replaces the rows.
  const [form, setForm] = useState<Schedule | 'new' | null>(null);
  const add = () => setForm('new');
  useShortcut({ keys: 'n', label: 'New schedule', group: 'Schedules', run: add });
  return (
    <Page
      title="Schedules"
      description="A schedule submits a job at each of its planned times."
      actions={
        <Button variant="primary" icon={<Plus aria-hidden="true" />} onClick={add}>
          New schedule
        </Button>
      }
    >
      <ScheduleList onAdd={add} onEdit={setForm} />
      {form === 'new' && (
        <NewSchedule
          onClose={() => setForm(null)}
          onCreated={({ id }) => void navigate({ to: '/schedules', search: { id }, replace: true })}
        />
      )}
      {form && form !== 'new' && <EditSchedule schedule={form} onClose={() => setForm(null)} />}
    </Page>
  );
}
