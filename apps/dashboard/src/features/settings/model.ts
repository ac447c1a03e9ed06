import type { Settings } from '@jobline/client';
import { fromNumberInput, periodOf, toNumberInput, UNITS } from '../../format/index.js';

/** The values of the form. */
export interface RetentionValues {
  keep: 'installation' | 'days';
  /** Used if `keep` is `days`. */
  retention_days: string;
}

export function retentionValues(days: Settings['retention_days']): RetentionValues {
  return days === null ? { keep: 'installation', retention_days: '' } : { keep: 'days', retention_days: String(days) };
}

export function daysOf({ keep, retention_days: days }: RetentionValues): number | null {
  return keep === 'days' ? Number(days) : null;
}

/** Whether jobs are deleted sooner than before. */
export function isSooner(before: number | null, after: number | null): boolean {
  return after !== null && (before === null || after < before);
}

type Redact = Settings['redact'];

/** The keys whose values are deleted by a change, or are deleted sooner than before. */
export function keysDeletedBy(before: Redact, after: Redact): string[] {
  if (after.after_days < before.after_days) return after.payload_keys;
  return after.payload_keys.filter((key) => !before.payload_keys.includes(key));
}

/** Fields with numbers are texts. An empty one means no alert or the default. */
export type AlertValues = ReturnType<typeof alertValues>;

export function alertValues(alerts: Settings['alerts']) {
  const { oldest_waiting_seconds: seconds, failure_rate_percent: percent } = alerts;
  const { count, unit } = seconds === null ? { count: null, unit: 'minutes' as const } : periodOf(seconds);
  return {
    email: alerts.email,
    webhook: alerts.webhook,
    channel: alerts.chat?.channel ?? '',
    failure_rate_percent: toNumberInput(percent),
    min_jobs: toNumberInput(alerts.min_jobs ?? null),
    types: alerts.types ?? [],
    oldest_waiting_seconds: toNumberInput(count), // in units
    unit,
  };
}

export function alertsOf(values: AlertValues): Settings['alerts'] {
  const { email, webhook, failure_rate_percent: percent, oldest_waiting_seconds: waiting, unit } = values;
  const count = fromNumberInput(waiting);
  const [minJobs, channel] = [fromNumberInput(values.min_jobs), values.channel.trim()];
  return {
    email,
    webhook,
    failure_rate_percent: fromNumberInput(percent),
    oldest_waiting_seconds: count === null ? null : count * UNITS[unit],
    ...(minJobs !== null && { min_jobs: minJobs }),
    ...(values.types.length > 0 && { types: values.types }),
    ...(channel !== '' && { chat: { channel } }),
  };
}

/** Why the settings have no effect; null if they have one, or if everything is off. */
export function effectProblem(values: AlertValues): string | null {
  const isRaised = [values.failure_rate_percent, values.oldest_waiting_seconds].some((text) => text.trim() !== '');
  const isSent = values.email || values.webhook || values.channel.trim() !== '';
  if (isRaised === isSent) return null;
  return isRaised
    ? 'No one is notified. Choose emails, events or a channel.'
    : 'No alert is raised. Set at least one threshold.';
}
