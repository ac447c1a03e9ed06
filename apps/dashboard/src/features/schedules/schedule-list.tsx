import { getRouteApi } from '@tanstack/react-router';
import { CalendarClock } from 'lucide-react';
import { ListTable, RowToggle } from '../../shell/list-table.js';
import {
  actionsColumn,
  Badge,
  Button,
  type Column,
  EmptyState,
  Panel,
  Time,
  textColumn,
  timeColumn,
} from '../../ui/index.js';
import { timingText, userZone } from './model.js';
import { type Schedule, usePauseSchedule, useRunSchedule, useSchedules } from './queries.js';
import { ScheduleDetail, UnlistedSchedule } from './schedule-detail.js';
import { inZone } from './timing.js';

const route = getRouteApi('/app/schedules');

export function ScheduleList({ onAdd, onEdit }: { onAdd: () => void; onEdit: (schedule: Schedule) => void }) {
  const { id } = route.useSearch();
  const list = useSchedules();
  const pause = usePauseSchedule();
  const run = useRunSchedule();
  return (
    <>
      {id !== undefined && list.rows?.every((one) => one.id !== id) && <UnlistedSchedule id={id} onEdit={onEdit} />}
      <Panel padding="none">
        <ListTable
          shortcuts="Schedules"
          list={list}
          what="schedule"
          caption="Schedules"
          columns={[
            ...columns(id),
            actionsColumn<Schedule>('176px', (schedule) => {
              const { id, name, enabled } = schedule;
              const verb = enabled ? 'Pause' : 'Resume';
              return [
                {
                  verb: 'Run now',
                  label: `Run now: ${name}`,
                  busy: run.isPending && run.variables.id === id,
                  onClick: () => run.mutate(schedule),
                },
                { verb, label: `${verb} ${name}`, onClick: () => pause.mutate(schedule) },
              ];
            }),
          ]}
          currentId={id ?? null}
          detail={(schedule) => <ScheduleDetail key={schedule.id} schedule={schedule} onEdit={onEdit} />}
          skeletonRows={3}
          empty={
            <EmptyState
              icon={<CalendarClock />}
              title="No schedules. Every job is submitted by a request."
              actions={<Button onClick={onAdd}>New schedule</Button>}
            >
              A schedule submits the same job again and again: every few minutes, each weekday at nine, once a month.
            </EmptyState>
          }
        />
      </Panel>
    </>
  );
}

function columns(openId: string | undefined): Column<Schedule>[] {
  return [
    {
      header: 'Schedule',
      card: 'title',
      cell: ({ id, name, enabled }) => {
        const isOpen = id === openId;
        return (
          <span className="flex min-w-0 items-center gap-2">
            <RowToggle to="/schedules" search={isOpen ? {} : { id }} replace resetScroll={false} isOpen={isOpen}>
              {name}
            </RowToggle>
            {!enabled && <Badge tone="warning">Paused</Badge>}
          </span>
        );
      },
    },
    textColumn({ header: 'Timing', width: '200px', from: 'lg', className: 'font-mono text-mono' }, timingText),
    textColumn({ header: 'Type', width: '144px', from: 'xl', className: 'font-mono text-mono' }, ({ type }) => type),
    { header: 'Next run', width: '244px', cell: (schedule) => <NextRun schedule={schedule} /> },
    timeColumn({ header: 'Last run', width: '112px', from: 'lg' }, ({ last_run_at }) => last_run_at),
  ];
}

/** The next time in the time zone of the user and, below, in that of the schedule if it is another one. */
function NextRun({ schedule: { next_run_at: next, cron, timezone } }: { schedule: Schedule }) {
  if (next === null) return <span className="text-muted">–</span>;
  return (
    <span className="flex min-w-0 flex-col">
      <span className="truncate">
        <Time value={next} form="full" />
      </span>
      {cron !== null && timezone !== userZone() && (
        <span className="truncate text-meta text-muted" title={inZone(next, timezone)}>
          {inZone(next, timezone)}
        </span>
      )}
    </span>
  );
}
