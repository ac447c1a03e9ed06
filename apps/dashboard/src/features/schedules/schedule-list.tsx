import { getRouteApi } from '@tanstack/react-router';
import { CalendarClock } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { useAction } from '../../api/use-change.js';
import { RunLink } from '../../product/job/schedule.js';
import { ListTable, RowToggle } from '../../shell/list-table.js';
import { useDebounced } from '../../ui/hooks.js';
import {
  actionsColumn,
  Badge,
  Button,
  type Column,
  EmptyState,
  Input,
  Panel,
  Time,
  textColumn,
} from '../../ui/index.js';
import { userZone } from './model.js';
import { type Schedule, useChangeSchedule, useRunSchedule, useSchedules } from './queries.js';
import { ScheduleDetail, UnlistedSchedule } from './schedule-detail.js';
import { inZone } from './timing.js';

const route = getRouteApi('/app/schedules');

export function ScheduleList({ onAdd, onEdit }: { onAdd: () => void; onEdit: (schedule: Schedule) => void }) {
  const { id, name = '' } = route.useSearch();
  const navigate = route.useNavigate();
  const [typed, setTyped] = useState(name);
  useEffect(() => {
    // A link to the page has no filter.
    if (name === '') setTyped('');
  }, [name]);
  const list = useSchedules(useDebounced(name, DELAY_MS));
  const box = useRef<HTMLDivElement>(null);
  const [linked] = useState(id);
  const isLoaded = list.rows !== undefined;
  useEffect(() => {
    // The schedule of a link may be below many others.
    if (isLoaded && linked) box.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest' });
  }, [isLoaded, linked]);
  const change = useChangeSchedule();
  const pause = useAction(({ id, enabled }: Schedule) => change(id, { enabled: !enabled }));
  const run = useRunSchedule();
  return (
    <>
      {id !== undefined && list.rows?.every((one) => one.id !== id) && <UnlistedSchedule id={id} onEdit={onEdit} />}
      <Panel padding="none">
        {(typed !== '' || list.rows?.length !== 0) && (
          <div className="border-b border-line px-4 py-3 [&>*]:sm:max-w-xs">
            <Input
              type="search"
              aria-label="Filter by name"
              placeholder="Filter by name"
              maxLength={200}
              value={typed}
              onChange={({ target: { value } }) => {
                setTyped(value);
                void navigate({ search: value === '' ? {} : { name: value }, replace: true, resetScroll: false });
              }}
            />
          </div>
        )}
        <div ref={box}>
          <ListTable
            shortcuts="Schedules"
            list={list}
            what="schedule"
            caption="Schedules"
            columns={[
              ...columns(name, id),
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
            empty={
              name !== '' ? (
                <EmptyState title={`No schedule has “${name}” in its name.`} />
              ) : (
                <EmptyState
                  icon={<CalendarClock />}
                  title="No schedules. Every job is submitted by a request."
                  actions={<Button onClick={onAdd}>New schedule</Button>}
                >
                  A schedule submits the same job again and again: every few minutes, each weekday at nine, once a
                  month.
                </EmptyState>
              )
            }
          />
        </div>
      </Panel>
    </>
  );
}

/** After so many ms without another key, the list is filtered. */
const DELAY_MS = 300;

function columns(filter: string, openId: string | undefined): Column<Schedule>[] {
  const kept = filter === '' ? {} : { name: filter };
  return [
    {
      header: 'Schedule',
      card: 'title',
      cell: ({ id, name, enabled }) => {
        const isOpen = id === openId;
        const search = isOpen ? kept : { ...kept, id };
        return (
          <span className="flex min-w-0 items-center gap-2">
            <RowToggle to="/schedules" search={search} replace resetScroll={false} isOpen={isOpen}>
              {name}
            </RowToggle>
            {!enabled && <Badge tone="warning">Paused</Badge>}
          </span>
        );
      },
    },
    textColumn({ header: 'Timing', width: '28%', from: 'xl' }, ({ description }) => description),
    { header: 'Next run', width: '228px', from: 'lg', cell: (schedule) => <NextRun schedule={schedule} /> },
    {
      header: 'Last run',
      width: '148px',
      cell: ({ last_run_at: at, last_job_id: id, last_status: status }) =>
        at && id && status ? <RunLink id={id} status={status} at={at} /> : <Time value={at} className="text-muted" />,
    },
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
