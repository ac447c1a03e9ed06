import {
  ALERT_LIMITS,
  type AlertSettings,
  REDACT_LIMITS,
  REDACTED_KEY_PATTERN,
  type RedactSettings,
  type SettingsView,
} from '@jobline/contracts';
import type { SettingsRow } from '@jobline/db';
import Joi from 'joi';
import { listOf } from '../http/list-of.js';
import { view } from './view.js';

const { minPercent, maxPercent, minWaitingSeconds, maxWaitingSeconds, windowMinutes, minFinished } = ALERT_LIMITS;

/** The same in requests and in responses, as the fields below. */
export const retentionDays = Joi.number()
  .integer()
  .min(1)
  .allow(null)
  .description(
    'Finished jobs are deleted after so many days, at most `RETENTION_DAYS` of the installation; null: after `RETENTION_DAYS`.',
  );

export const redactFields = {
  payload_keys: listOf(
    REDACT_LIMITS.keys,
    Joi.string()
      .pattern(REDACTED_KEY_PATTERN)
      .messages({ 'string.pattern.base': '{{#label}} must have 1 to 128 characters' }),
  )
    .unique()
    .description('The values of payload keys of these names, at any depth, are shown as `[redacted]`, and deleted.'),
  after_days: Joi.number()
    .integer()
    .min(0)
    .max(REDACT_LIMITS.afterDays)
    .description('How many days after the end of a job.'),
};

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
      `An alert is raised if more of the jobs that finished in the last ${windowMinutes} minutes failed, and at least ${minFinished} finished; null: never.`,
    ),
  oldest_waiting_seconds: Joi.number()
    .integer()
    .min(minWaitingSeconds)
    .max(maxWaitingSeconds)
    .allow(null)
    .description('An alert is raised if a job has been due for longer and has not started; null: never.'),
};

export const settingsView = view<SettingsView>('Settings', {
  retention_days: retentionDays,
  redact: view<RedactSettings>('RedactSettings', redactFields),
  alerts: view<AlertSettings>('AlertSettings', alertFields),
});

export function toSettingsView(row: SettingsRow): SettingsView {
  return {
    retention_days: row.retentionDays,
    redact: { payload_keys: row.redactKeys, after_days: row.redactAfterDays },
    alerts: {
      email: row.alertsByEmail,
      webhook: row.alertsByWebhook,
      failure_rate_percent: row.failureRatePercent,
      oldest_waiting_seconds: row.oldestWaitingSeconds,
    },
  };
}
