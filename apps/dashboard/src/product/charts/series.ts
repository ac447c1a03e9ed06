import type { JobStats } from '@jobline/client';
import { formatClock, formatCount, formatDate } from '../../format/index.js';

/** One time step of the API's statistics: the jobs that became done in it, and the attempts that failed. */
export type Step = JobStats['series'][number];

/** Describes the chart in one sentence, for screen readers. */
export function summaryOf(series: readonly Step[], window: string): string {
  const done = series.reduce((sum, step) => sum + step.done, 0);
  const failed = series.reduce((sum, step) => sum + step.failed, 0);
  const busiest = series.reduce<Step | null>((best, step) => (!best || total(step) > total(best) ? step : best), null);
  if (!busiest || total(busiest) === 0) return `No job finished in ${window}.`;
  return `${formatCount(done, 'job')} done and ${formatCount(failed, 'failed attempt')} in ${window}; busiest at ${formatClock(busiest.at)}.`;
}

/** The label of a step: its time of day, with the date if the series covers more than 36 hours. */
export function stepName(at: string, series: readonly Step[]): string {
  const first = series[0];
  const last = series.at(-1);
  const isLong = first && last && Date.parse(last.at) - Date.parse(first.at) > 36 * 3_600_000;
  return isLong ? `${formatDate(at)}, ${formatClock(at)}` : formatClock(at);
}

/** From the start of one step to the end of another one, in any order. */
export function rangeOf(series: readonly Step[], one: number, other: number): [from: string, until: string] | null {
  const [first, second] = series;
  const from = series[Math.min(one, other)];
  const last = series[Math.max(one, other)];
  if (!first || !second || !from || !last) return null;
  const stepMs = Date.parse(second.at) - Date.parse(first.at);
  return [from.at, new Date(Date.parse(last.at) + stepMs).toISOString()];
}

function total({ done, failed }: Step): number {
  return done + failed;
}
