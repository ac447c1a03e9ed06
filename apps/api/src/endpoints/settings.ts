import {
  ALERT_LIMITS,
  type AlertSettings,
  type ErrorDetail,
  NAME_PATTERN,
  REDACT_LIMITS,
  REDACTED_KEY_PATTERN,
  type RedactSettings,
  UNKNOWN_TYPES,
  type UnknownTypes,
} from '@jobline/contracts';
import {
  changeSettings as changeSettingsRow,
  changeTeam,
  FIRST_SETTINGS,
  getSettings as getSettingsRow,
  recordAudit,
  type SettingsRow,
} from '@jobline/db';
import { bodyValidator } from '@jobline/engine';
import { listOf } from '@jobline/handlers';
import Joi from 'joi';
import { type CustomBody, defineEndpoint } from '../endpoint.js';
import { name } from '../http/fields.js';
import { json } from '../http/response-specs.js';
import { view } from '../http/view.js';

const { minPercent, maxPercent, minWaitingSeconds, maxWaitingSeconds, windowMinutes, minJobs } = ALERT_LIMITS;

/** The same in requests and in responses, as the fields below. */
export const retentionDays = Joi.number()
  .integer()
  .min(1)
  .allow(null)
  .description(
    'Finished jobs are deleted after so many days, at most `RETENTION_DAYS` of the installation; null: after `RETENTION_DAYS`.',
  );

const redactFields = {
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

const alertFields = {
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
      `An alert is raised if more of the jobs that finished after an attempt in the last ${windowMinutes} minutes failed, and at least \`min_jobs\` finished; null: never.`,
    ),
  oldest_waiting_seconds: Joi.number()
    .integer()
    .min(minWaitingSeconds)
    .max(maxWaitingSeconds)
    .allow(null)
    .description('An alert is raised if a job has been due for longer and has not started; null: never.'),
  min_jobs: Joi.number()
    .integer()
    .min(1)
    .max(ALERT_LIMITS.maxMinJobs)
    .description(`The failure rate counts as 0 while fewer jobs finished. Absent: ${minJobs}.`)
    .optional(),
  types: listOf(ALERT_LIMITS.types, Joi.string().pattern(NAME_PATTERN))
    .unique()
    .description('Only jobs of these types count, for both kinds. Absent, or empty: of all types.')
    .optional(),
  chat: Joi.object({ channel: name().required() })
    .description('The channel to which the provider of `team_chat_notify` posts an alert that is raised.')
    .optional(),
};

const unknownTypes = Joi.valid(...UNKNOWN_TYPES).description(
  'What becomes of jobs whose type no worker ever had. `fail`: they fail at once. `wait`: they wait until a worker has it, or until `expires_at`. `reject`: they are a 400 at submission. Absent in responses until it was set: `fail`.',
);

interface SettingsView {
  retention_days: number | null;
  redact: RedactSettings;
  alerts: AlertSettings;
  unknown_types?: UnknownTypes;
}

const settingsView = view<SettingsView>('Settings', {
  retention_days: retentionDays,
  redact: view<RedactSettings>('RedactSettings', redactFields),
  alerts: view<AlertSettings>('AlertSettings', alertFields),
  unknown_types: unknownTypes.optional(),
});

function toSettingsView(row: SettingsRow): SettingsView {
  return {
    retention_days: row.retentionDays,
    redact: { payload_keys: row.redactKeys, after_days: row.redactAfterDays },
    alerts: {
      email: row.alertsByEmail,
      webhook: row.alertsByWebhook,
      failure_rate_percent: row.failureRatePercent,
      oldest_waiting_seconds: row.oldestWaitingSeconds,
      ...row.alertOptions,
    },
    ...(row.unknownTypes !== null && { unknown_types: row.unknownTypes }),
  };
}

/** The members of the settings on the wire. Absent: not sent, so it stays. */
interface SettingsBody {
  retention_days?: number | null;
  redact?: Partial<RedactSettings>;
  alerts?: Partial<AlertSettings>;
  unknown_types?: UnknownTypes;
}

const schema = Joi.object<SettingsBody>({
  retention_days: retentionDays,
  redact: Joi.object<RedactSettings>(redactFields).min(1),
  alerts: Joi.object<AlertSettings>(alertFields).min(1),
  unknown_types: unknownTypes,
})
  .min(1)
  .meta({ view: 'SettingsChange' });

const validate = bodyValidator(schema);

/** The settings that a request changes. */
const settingsBody: CustomBody<Partial<SettingsRow>> = {
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
function toChanges({ retention_days, redact, alerts, unknown_types }: SettingsBody): Partial<SettingsRow> {
  return {
    ...(retention_days !== undefined && { retentionDays: retention_days }),
    ...(redact && toRedactColumns({ ...first.redact, ...redact })),
    ...(alerts && toAlertColumns({ ...first.alerts, ...alerts })),
    ...(unknown_types && { unknownTypes: unknown_types }),
  };
}

function toRedactColumns({ payload_keys, after_days }: RedactSettings): Partial<SettingsRow> {
  return { redactKeys: payload_keys, redactAfterDays: after_days };
}

function toAlertColumns({
  email,
  webhook,
  failure_rate_percent: failureRatePercent,
  oldest_waiting_seconds: oldestWaitingSeconds,
  ...alertOptions
}: AlertSettings): Partial<SettingsRow> {
  return { alertsByEmail: email, alertsByWebhook: webhook, failureRatePercent, oldestWaitingSeconds, alertOptions };
}

/** The settings of the organization. */
export const getSettings = defineEndpoint({
  method: 'get',
  path: '/org/settings',
  summary: 'Read the settings',
  right: 'read_settings',
  needs: ['db'],
  responses: { 200: json('The settings.', settingsView) },
  async handle({ deps, principal }) {
    return { status: 200, body: toSettingsView(await getSettingsRow(deps.db, principal.orgId)) };
  },
});

/** Changes the settings of the organization. */
export const changeSettings = defineEndpoint({
  method: 'patch',
  path: '/org/settings',
  summary: 'Change the settings',
  right: 'settings',
  needs: ['db'],
  body: settingsBody,
  responses: { 200: json('The settings.', settingsView) },
  async handle({ deps, principal: { orgId }, origin, body }) {
    const row = await changeTeam(deps.db, orgId, async (tx) => {
      const changed = await changeSettingsRow(tx, orgId, body);
      await recordAudit(tx, orgId, { ...origin, action: 'settings.changed' });
      return changed;
    });
    return { status: 200, body: toSettingsView(row) };
  },
});
