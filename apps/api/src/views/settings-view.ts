import { ALERT_LIMITS, type AlertSettings, type SettingsView } from '@jobline/contracts';
import type { SettingsRow } from '@jobline/db';
import Joi from 'joi';
import { view } from './view.js';

const { minPercent, maxPercent, minWaitingSeconds, maxWaitingSeconds, windowMinutes, minEnded } = ALERT_LIMITS;

/** The same in requests and in responses. */
export const alertFields = {
  email: Joi.boolean().description('Whether owners and admins get an email when an alert is raised.'),
  webhook: Joi.boolean().description(
    'Whether webhooks get `alert.raised` and `alert.resolved`, if they have chosen them.',
  ),
  failure_rate_percent: Joi.number()
    .integer()
    .min(minPercent)
    .max(maxPercent)
    .allow(null)
    .description(
      `An alert is raised if more of the jobs that ended in the last ${windowMinutes} minutes failed, and at least ${minEnded} ended; null: never.`,
    ),
  oldest_waiting_seconds: Joi.number()
    .integer()
    .min(minWaitingSeconds)
    .max(maxWaitingSeconds)
    .allow(null)
    .description('An alert is raised if a job has been due for longer and has not started; null: never.'),
};

export const settingsView = view<SettingsView>('Settings', {
  alerts: view<AlertSettings>('AlertSettings', alertFields),
});

export function toSettingsView(row: SettingsRow): SettingsView {
  return {
    alerts: {
      email: row.alertsByEmail,
      webhook: row.alertsByWebhook,
      failure_rate_percent: row.failureRatePercent,
      oldest_waiting_seconds: row.oldestWaitingSeconds,
    },
  };
}
