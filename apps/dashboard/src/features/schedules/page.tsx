import { useState } from 'react';
import { PrimaryAction } from '../../keyboard/primary-action.js';
import { Page } from '../../shell/page-frame.js';
import type { Schedule } from './queries.js';
import { EditSchedule, NewSchedule } from './schedule-form.js';
import { ScheduleList } from './schedule-list.js';

export function SchedulesPage() {
  // Here and not in the row, because a window that becomes narrower replaces the rows.
  const [form, setForm] = useState<Schedule | 'new' | null>(null);
  const add = () => setForm('new');
  const close = () => setForm(null);
  return (
    <Page
      title="Schedules"
      description="A schedule submits a job at each of its planned times."
      actions={<PrimaryAction label="New schedule" group="Schedules" run={add} />}
    >
      <ScheduleList onAdd={add} onEdit={setForm} />
      {form === 'new' && <NewSchedule onClose={close} />}
      {form && form !== 'new' && <EditSchedule schedule={form} onClose={close} />}
    </Page>
  );
}
