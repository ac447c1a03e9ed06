import { changedFields, periodOf, UNITS, type Unit } from '../../format/index.js';
import { NEW_SETTINGS, type SettingValues, settingsOf } from '../../product/job/job-settings.js';
import { payloadOf, SAMPLE_TYPE, sampleText } from '../../product/job/payload.js';
import type { NewSchedule, Schedule } from './queries.js';

/** The values of the form. Fields with numbers are texts, and an empty text means that the field is not set. */
export interface ScheduleValues extends SettingValues {
  name: string;
  timing: 'cron' | 'period';
  cron: string;
  timezone: string;
  /** The number of units. */
  every_seconds: string;
  unit: Unit;
  type: string;
  /** JSON text. */
  payload: string;
  overlap: Schedule['overlap'];
  missed: Schedule['missed'];
}

/** The values for a new schedule. Its times are in the time zone of the user. */
export function newValues(): ScheduleValues {
  return {
    name: '',
    timing: 'cron',
    cron: '0 9 * * 1-5',
    timezone: userZone(),
    every_seconds: '5',
    unit: 'minutes',
    type: SAMPLE_TYPE,
    payload: sampleText(SAMPLE_TYPE),
    ...NEW_SETTINGS,
    overlap: 'allow',
    missed: 'run_once',
  };
}

export function valuesOf(schedule: Schedule): ScheduleValues {
  const { cron, every_seconds: everySeconds } = schedule;
  const period = everySeconds === null ? { count: 5, unit: 'minutes' as const } : periodOf(everySeconds);
  return {
    ...newValues(),
    name: schedule.name,
    timing: cron === null ? 'period' : 'cron',
    ...(cron !== null && { cron }),
    timezone: schedule.timezone,
    every_seconds: String(period.count),
    unit: period.unit,
    type: schedule.type,
    payload: JSON.stringify(schedule.payload, null, 2),
    max_retries: String(schedule.max_retries),
    priority: String(schedule.priority),
    tags: schedule.tags.join(', '),
    limit: schedule.limit ?? '',
    key: schedule.key ?? '',
    callback_url: schedule.callback_url ?? '',
    overlap: schedule.overlap,
    missed: schedule.missed,
  };
}

/** The request body for the values. The payload must be valid. */
export function bodyOf(values: ScheduleValues): NewSchedule {
  const { name, type, payload, overlap, missed } = values;
  return {
    name: name.trim(),
    ...timingOf(values),
    type: type.trim(),
    payload: payloadOf(payload),
    ...settingsOf(values),
    overlap,
    missed,
  };
}

/** The part of the body that says when the schedule runs. */
export function timingOf({ timing, cron, timezone, every_seconds: count, unit }: TimingValues): TimingBody {
  return timing === 'cron' ? { cron: cron.trim(), timezone } : { every_seconds: Number(count) * UNITS[unit] };
}

type TimingValues = Pick<ScheduleValues, 'timing' | 'cron' | 'timezone' | 'every_seconds' | 'unit'>;
export type TimingBody = { cron: string; timezone: string } | { every_seconds: number };

/** The members of the new body that differ. */
export function changesOf(before: ScheduleValues, after: ScheduleValues): Partial<NewSchedule> {
  return changedFields(bodyOf(before), bodyOf(after));
}

export function userZone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone;
}

export const OVERLAP_OPTIONS = [
  { value: 'allow', label: 'Start another job' },
  { value: 'skip', label: 'Start no job', hint: 'The planned time is counted as skipped.' },
  { value: 'cancel_previous', label: 'Cancel the earlier job' },
] as const;

export const MISSED_OPTIONS = [
  { value: 'run_once', label: 'Run once for all of them' },
  { value: 'run_all', label: 'Run once for each', hint: 'At most the latest 100.' },
  { value: 'skip', label: 'Skip them' },
] as const;
