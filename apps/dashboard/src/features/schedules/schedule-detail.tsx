import { JoblineError } from '@jobline/client';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { LastRuns, useSchedule } from '../../product/job/schedule.js';
import { DeleteDialog } from '../../shell/confirm-dialog.js';
import { LoadError } from '../../shell/load-error.js';
import { Button, buttonClasses, Callout, CodeBlock, Fact, Panel } from '../../ui/index.js';
import { MISSED_OPTIONS, OVERLAP_OPTIONS } from './model.js';
import type { Schedule } from './queries.js';
import { PlannedTimes, useTimes } from './timing.js';

/** The details of a schedule: the sentence, the next times, the job that it submits, and the actions. */
export function ScheduleDetail({ schedule, onEdit }: { schedule: Schedule; onEdit: (schedule: Schedule) => void }) {
  const [deleting, setDeleting] = useState(false);
  const { overlap, missed, skipped } = schedule;
  return (
    <section aria-label={schedule.name} className="flex flex-col gap-4 border-t border-line p-4 sm:pl-10">
      <NextTimes schedule={schedule} />
      <dl className="grid max-w-3xl gap-x-6 gap-y-0.5 text-body max-sm:[&>dd]:mb-1.5 sm:grid-cols-[10rem_1fr] sm:gap-y-2">
        <Fact name="Earlier job not finished">{labelOf(OVERLAP_OPTIONS, overlap)}</Fact>
        <Fact name="Missed times">{labelOf(MISSED_OPTIONS, missed)}</Fact>
        {skipped > 0 && <Fact name="Skipped">{skipped.toLocaleString()} planned times made no job</Fact>}
        <Fact name="Job">{jobOf(schedule)}</Fact>
        <Fact name="Last runs">
          <LastRuns schedule={schedule.id} version={schedule.last_job_id} />
        </Fact>
      </dl>
      <CodeBlock label="Payload" code={JSON.stringify(schedule.payload, null, 2)} />
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <Button onClick={() => onEdit(schedule)}>Edit schedule</Button>
        <Link to="/" search={{ schedule: schedule.id }} className={buttonClasses('secondary')}>
          Show its jobs
        </Link>
        <Button variant="ghost" onClick={() => setDeleting(true)}>
          Delete schedule
        </Button>
      </div>
      {deleting && (
        <DeleteDialog
          from="listSchedules"
          remove={(api) => api.schedules.delete(schedule.id)}
          title={`Delete ${schedule.name}?`}
          verb="Delete"
          done={`${schedule.name} is deleted`}
          page="/schedules"
          onClose={() => setDeleting(false)}
        >
          It makes no more jobs. The jobs that it has made stay, and those that wait still run.
        </DeleteDialog>
      )}
    </section>
  );
}

const SHOWN_TIMES = 5;

/** The sentence of the timing and the next times. A period counts from the next time, a cron expression from now. */
function NextTimes({ schedule }: { schedule: Schedule }) {
  const { cron, every_seconds: everySeconds, timezone, next_run_at: next } = schedule;
  const body = cron !== null ? { cron, timezone } : { every_seconds: everySeconds };
  // The next time is part of the key, because the times change when it passes.
  const { data, error } = useTimes(JSON.stringify({ ...body, count: SHOWN_TIMES }), next);
  const times = everySeconds === null || next === null ? data?.times : timesFrom(next, everySeconds);
  return (
    <div className="max-w-3xl">
      <p className="mb-2 text-body font-medium">
        {schedule.description} {cron !== null && <code className="text-meta text-muted">{cron}</code>}
      </p>
      {!schedule.enabled ? (
        <p className="text-body text-muted">Paused. Planned times pass without a job until it is resumed.</p>
      ) : next === null ? (
        <p className="text-body text-muted">It has no next time.</p>
      ) : (
        (times && <PlannedTimes times={times} timezone={cron === null ? null : timezone} />) || error?.message
      )}
    </div>
  );
}

function timesFrom(next: string, everySeconds: number): string[] {
  return Array.from({ length: SHOWN_TIMES }, (_, n) =>
    new Date(Date.parse(next) + n * everySeconds * 1_000).toISOString(),
  );
}

/** `generate_pdf, 3 retries, priority 5, tags a, b`. */
function jobOf({ type, max_retries: retries, priority, tags, limit, key }: Schedule): string {
  return [
    type,
    retries === 1 ? '1 retry' : `${retries} retries`,
    ...(priority > 0 ? [`priority ${priority}`] : []),
    ...(tags.length > 0 ? [`tags ${tags.join(', ')}`] : []),
    ...(limit === null ? [] : [`limit ${limit}`]),
    ...(key === null ? [] : [`key ${key}`]),
  ].join(' · ');
}

function labelOf(options: readonly { value: string; label: string }[], value: string): string {
  return options.find((option) => option.value === value)?.label ?? value;
}

/** The schedule of a link that is not among the loaded rows: on a later page, or deleted. */
export function UnlistedSchedule({ id, onEdit }: { id: string; onEdit: (schedule: Schedule) => void }) {
  const schedule = useSchedule(id);
  const { data, error } = schedule;
  const isDeleted = error instanceof JoblineError && error.status === 404;
  return (
    <div className="mb-4">
      {data ? (
        <Panel title={data.name} padding="none">
          <ScheduleDetail schedule={data} onEdit={onEdit} />
        </Panel>
      ) : isDeleted ? (
        <Callout role="status">This schedule does not exist any more. The jobs that it has made stay.</Callout>
      ) : (
        error && <LoadError of={schedule} />
      )}
    </div>
  );
}
