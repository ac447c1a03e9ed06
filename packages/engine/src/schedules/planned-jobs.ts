import { LIMITS } from '@jobline/contracts';
import { type DueSchedule, type PlannedSchedule, specOf } from '@jobline/db';
import { aboutTextsIn } from '../submit/abouts.js';
import type { JobDraft } from '../submit/enqueue.js';
import { refsIn } from '../submit/sources.js';
import { newJobKey } from '../submit/submission.js';
import { decideDueTimes, plannedTimes } from './timing.js';

/** What happens to a due schedule in one round. */
export interface Decision {
  schedule: DueSchedule;
  /** The times whose jobs are made now, the oldest first. */
  times: Date[];
  /** How many times make no job, because an earlier one has not finished or the organization stores too many bytes. */
  skipped: number;
  /** Whether missed times get no job of their own. */
  isShortened: boolean;
  /** The next time: in the past, if more times are due than one round makes. */
  nextRunAt: Date | null;
}

/**
 * Decides which due times of a schedule are made now. `isBusy`: a planned job of it has not finished. `most`: the highest number
 * of jobs, at least 1. The rest is left to the next round.
 */
export function decide(schedule: DueSchedule, isBusy: boolean, most: number): Decision {
  const { overlap, missed, now } = schedule;
  const planned = plannedTimes(schedule);
  const due = decideDueTimes(planned, { nextMs: schedule.nextRunAt.getTime(), nowMs: now.getTime(), missed });
  const all = due.times.map((ms) => new Date(ms));
  const after = planned.next(now.getTime());
  const isSkipping = schedule.isFull || (overlap === 'skip' && isBusy);
  // With `skip`, the job that is made now decides about the time after it.
  const times = isSkipping ? [] : all.slice(0, overlap === 'skip' ? 1 : most);
  const rest = isSkipping ? [] : all.slice(times.length);
  return {
    schedule,
    times,
    skipped: isSkipping ? all.length : 0,
    isShortened: due.isShortened,
    nextRunAt: rest[0] ?? (after === null ? null : new Date(after)),
  };
}

/** The row of a schedule after a round. */
export function toPlanned({ schedule, times, skipped, nextRunAt }: Decision): PlannedSchedule {
  const latest = times.at(-1);
  return {
    id: schedule.id,
    nextRunAt,
    last: latest ? { at: latest, jobId: plannedJobId(schedule.id, latest) } : null,
    skipped,
    cancelBefore: latest && schedule.overlap === 'cancel_previous' ? latest : null,
  };
}

/** The id of the job of a planned time: `<schedule id>-20260131T120000Z`. So no time can get two jobs. */
export function plannedJobId(scheduleId: string, plannedAt: Date): string {
  return `${scheduleId}-${plannedAt.toISOString().slice(0, 19).replaceAll(/[-:]/g, '')}Z`;
}

/** How many jobs with the payload of a schedule one statement may have. */
export function mostJobs({ payloadBytes }: Pick<DueSchedule, 'payloadBytes'>, maxBytes: number): number {
  return Math.max(1, Math.min(LIMITS.schedules.missedRuns, Math.floor(maxBytes / Math.max(1, payloadBytes))));
}

/** The job of a planned time. The limit that it names may have been deleted since. */
export function toPlannedJob(schedule: DueSchedule, plannedAt: Date, queue: string): JobDraft {
  const { id: scheduleId, orgId, payload } = schedule;
  return {
    ...specOf(schedule),
    key: newJobKey(),
    orgId,
    id: plannedJobId(scheduleId, plannedAt),
    queue,
    payload,
    contentHash: null,
    runAt: null,
    traceparent: null,
    scheduleId,
    plannedAt,
    sources: refsIn(schedule.type, payload),
    abouts: aboutTextsIn(schedule.type, payload),
  };
}
