import { useNavigate } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import { useShortcut } from '../../keyboard/use-shortcut.js';
import { Page } from '../../shell/page.js';
import { Button } from '../../ui/index.js';
import { ScheduleForm } from './schedule-form.js';
import { ScheduleList } from './schedule-list.js';

export function SchedulesPage() {
  const navigate = useNavigate();
  const [adding, setAdding] = useState(false);
  const add = () => setAdding(true);
  useShortcut({ keys: 'n', label: 'New schedule', group: 'Schedules', run: add });
  return (
    <Page
      title="Schedules"
      description="Jobs that are submitted at planned times. Each planned time makes exactly one job."
      actions={
        <Button variant="primary" icon={<Plus aria-hidden="true" />} onClick={add}>
          New schedule
        </Button>
      }
    >
      <ScheduleList onAdd={add} />
      {adding && (
        <ScheduleForm
          onClose={() => setAdding(false)}
          onCreated={({ id }) => void navigate({ to: '/schedules', search: { id }, replace: true })}
        />
      )}
    </Page>
  );
}
