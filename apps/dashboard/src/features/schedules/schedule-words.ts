import { periodOf, type Unit } from '../../format/index.js';
import type { Schedule } from './use-schedules.js';

/** The timing in a short form: `0 9 * * 1-5 · Europe/Berlin`, `every 5 min`. */
export function timingOf({ cron, every_seconds: everySeconds, timezone }: Schedule): string {
  if (cron !== null) return `${cron} · ${timezone}`;
  const { count, unit } = periodOf(everySeconds ?? 0);
  return `every ${count} ${UNIT_SIGNS[unit]}`;
}

const UNIT_SIGNS: Record<Unit, string> = { seconds: 's', minutes: 'min', hours: 'h', days: 'd' };

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
