import type { AlertSettings, ErrorDetail, RedactSettings } from '@jobline/contracts';
import { FIRST_SETTINGS, type SettingsRow } from '@jobline/db';
import Joi from 'joi';
import type { CustomBody } from '../../endpoint.js';
import { bodyValidator } from '../../http/validate.js';
import { alertFields, redactFields, retentionDays, toSettingsView } from '../../views/settings-view.js';

/** The members of the settings on the wire. Absent: not sent, so it stays. */
interface SettingsBody {
  retention_days?: number | null;
  redact?: Partial<RedactSettings>;
  alerts?: Partial<AlertSettings>;
}

const schema = Joi.object<SettingsBody>({
  retention_days: retentionDays,
  redact: Joi.object<RedactSettings>(redactFields).min(1),
  alerts: Joi.object<AlertSettings>(alertFields).min(1),
})
  .min(1)
  .meta({ view: 'SettingsChange' });

const validate = bodyValidator(schema);

/** The settings that a request changes. */
export const settingsBody: CustomBody<Partial<SettingsRow>> = {
  schemas: [schema],
  validate(body, { settings }) {
    const validated = validate(body);
    const issues = [
      ...('issues' in validated ? validated.issues : []),
      ...retentionIssues(body.retention_days, settings.retentionDays),
    ];
    return 'issues' in validated || issues.length > 0 ? { issues } : { value: toChanges(validated.value) };
  },
};

function retentionIssues(days: unknown, maxDays: number): ErrorDetail[] {
  const path = 'retention_days';
  if (!Number.isSafeInteger(days) || Number(days) <= maxDays) return [];
  return [{ path, message: `"${path}" must be at most ${maxDays}, the RETENTION_DAYS of this installation` }];
}

const first = toSettingsView(FIRST_SETTINGS);

/** An object that is sent is replaced: what it leaves out gets its first value. */
function toChanges({ retention_days, redact, alerts }: SettingsBody): Partial<SettingsRow> {
  return {
    ...(retention_days !== undefined && { retentionDays: retention_days }),
    ...(redact && toRedactColumns({ ...first.redact, ...redact })),
    ...(alerts && toAlertColumns({ ...first.alerts, ...alerts })),
  };
}

function toRedactColumns({ payload_keys, after_days }: RedactSettings): Partial<SettingsRow> {
  return { redactKeys: payload_keys, redactAfterDays: after_days };
}

function toAlertColumns(alerts: AlertSettings): Partial<SettingsRow> {
  return {
    alertsByEmail: alerts.email,
    alertsByWebhook: alerts.webhook,
    failureRatePercent: alerts.failure_rate_percent,
    oldestWaitingSeconds: alerts.oldest_waiting_seconds,
  };
}
