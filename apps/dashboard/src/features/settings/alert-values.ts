import type { Settings } from '@jobline/client';
import { fromNumberInput, periodOf, toNumberInput, UNITS, type Unit } from '../../format/index.js';

/** The values of the form. Fields with numbers are texts, and an empty text means no alert. */
export interface AlertValues {
  email: boolean;
  webhook: boolean;
  failure_rate_percent: string;
  /** The number of units. */
  oldest_waiting_seconds: string;
  unit: Unit;
}

export function valuesOf(alerts: Settings['alerts']): AlertValues {
  const { oldest_waiting_seconds: seconds, failure_rate_percent: percent } = alerts;
  const { count, unit } = seconds === null ? { count: null, unit: 'minutes' as const } : periodOf(seconds);
  return {
    email: alerts.email,
    webhook: alerts.webhook,
    failure_rate_percent: toNumberInput(percent),
    oldest_waiting_seconds: toNumberInput(count),
    unit,
  };
}

export function alertsOf(values: AlertValues): Settings['alerts'] {
  const { email, webhook, failure_rate_percent: percent, oldest_waiting_seconds: waiting, unit } = values;
  const count = fromNumberInput(waiting);
  return {
    email,
    webhook,
    failure_rate_percent: fromNumberInput(percent),
    oldest_waiting_seconds: count === null ? null : count * UNITS[unit],
  };
}

/** Why the settings have no effect; null if they have one, or if everything is off. */
export function effectProblem(values: AlertValues): string | null {
  const isRaised = [values.failure_rate_percent, values.oldest_waiting_seconds].some((text) => text.trim() !== '');
  const isSent = values.email || values.webhook;
  if (isRaised === isSent) return null;
  return isRaised
    ? 'No one is notified. Choose emails, events or both.'
    : 'No alert is raised. Set at least one threshold.';
}
