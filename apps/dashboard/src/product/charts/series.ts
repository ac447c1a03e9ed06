import { formatClock, formatCount, formatDate } from '../../format/index.js';

/** A step of time and what ended in it, as the API gives it. */
export interface Step {
  at: string;
  done: number;
  failed: number;
}

/** The chart in one sentence, for whoever does not see it. */
export function summaryOf(series: readonly Step[], window: string): string {
  const done = series.reduce((sum, step) => sum + step.done, 0);
  const failed = series.reduce((sum, step) => sum + step.failed, 0);
  const busiest = series.reduce<Step | null>((best, step) => (!best || total(step) > total(best) ? step : best), null);
  if (!busiest || total(busiest) === 0) return `No job ended in ${window}.`;
  const peak = `busiest at ${formatClock(busiest.at)} with ${formatCount(total(busiest), 'job')}`;
  return `${formatCount(done, 'job')} done and ${failed} failed in ${window}; ${peak}.`;
}

/** A step's name: its time, and with steps over a day or more also its day. */
export function stepName(at: string, series: readonly Step[]): string {
  const first = series[0];
  const last = series.at(-1);
  const isLong = first && last && Date.parse(last.at) - Date.parse(first.at) > 36 * 3_600_000;
  return isLong ? `${formatDate(at)}, ${formatClock(at)}` : formatClock(at);
}

export function total({ done, failed }: Step): number {
  return done + failed;
}
