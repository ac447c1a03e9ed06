import { type ErrorDetail, type JsonObject, LIMITS } from '@jobline/contracts';
import type { ScheduleSettings } from '@jobline/db';
import Joi, { type ObjectSchema } from 'joi';
import type { CustomBody } from '../../endpoint.js';
import { bodyValidator, isJsonObject, type Validated } from '../../http/validate.js';
import { rulesOf, type SubmissionRules, storedSubmissionIssues } from '../jobs/submission.js';
import { type ScheduleFields, scheduleFields, timingFields } from './schedule-fields.js';

/** Bodies of the requests that create or change a schedule. */

const { name, type, payload, timezone, max_retries, priority, tags, overlap, missed, enabled } = scheduleFields;

const creation: ObjectSchema<ScheduleFields> = Joi.object({
  ...scheduleFields,
  name: name.required(),
  type: type.required(),
  payload: payload.required(),
  timezone: timezone.default('UTC'),
  max_retries: max_retries.default(0),
  priority: priority.default(0),
  tags: tags.default([]),
  overlap: overlap.default('allow'),
  missed: missed.default('run_once'),
  enabled: enabled.default(true),
}).meta({ view: 'NewSchedule' });

const change: ObjectSchema<Partial<ScheduleFields>> = Joi.object(scheduleFields)
  .min(1)
  .messages({ 'object.min': 'the body must have at least one field' })
  .meta({ view: 'ScheduleChange' });

/** A timing without a schedule. */
interface PreviewFields extends Pick<ScheduleFields, 'cron' | 'every_seconds' | 'timezone'> {
  count: number;
}

const DEFAULT_COUNT = 5;

const preview: ObjectSchema<PreviewFields> = Joi.object({
  ...timingFields,
  timezone: timezone.default('UTC'),
  count: Joi.number().integer().min(1).max(LIMITS.schedules.previewTimes).default(DEFAULT_COUNT),
}).meta({ view: 'SchedulePreviewRequest' });

const validateCreation = bodyValidator(creation);
const validateChange = bodyValidator(change);
const validatePreview = bodyValidator(preview);

/** The settings of a new schedule. */
export const creationBody: CustomBody<ScheduleSettings> = {
  schemas: [creation],
  validate(body, deps) {
    const validated = validateCreation(body);
    const issues = [...issuesOf(validated), ...jobIssues(rulesOf(deps), body.type, body.payload)];
    if (!('value' in validated)) return { issues };
    const timing = timingIssues(validated.value);
    if (issues.length + timing.length > 0) return { issues: [...issues, ...timing] };
    return { value: { ...EMPTY, ...toSettings(validated.value) } };
  },
};

/** The settings that a request changes. What depends on the other settings is checked when they are known. */
export const changeBody: CustomBody<Partial<ScheduleSettings>> = {
  schemas: [change],
  validate(body) {
    const validated = validateChange(body);
    if (!('value' in validated)) return validated;
    if (isSet(body.cron) && isSet(body.every_seconds)) return { issues: [BOTH] };
    return { value: toSettings(validated.value) };
  },
};

/** A timing whose next times are requested. */
export const previewBody: CustomBody<Pick<ScheduleSettings, 'cron' | 'everySeconds' | 'timezone'> & { count: number }> =
  {
    schemas: [preview],
    validate(body) {
      const validated = validatePreview(body);
      if (!('value' in validated)) return validated;
      const issues = timingIssues(validated.value);
      const { cron = null, every_seconds: everySeconds = null, timezone, count } = validated.value;
      return issues.length > 0 ? { issues } : { value: { cron, everySeconds, timezone, count } };
    },
  };

/** The settings with the changes, or the issues of the result: `cron` takes `everySeconds` away, and the reverse. */
export function withChanges(
  current: ScheduleSettings,
  changes: Partial<ScheduleSettings>,
  rules: SubmissionRules,
): Validated<ScheduleSettings> {
  const settings = { ...current, ...changes };
  if (isSet(changes.cron)) settings.everySeconds = null;
  if (isSet(changes.everySeconds)) settings.cron = null;
  const issues = [
    ...(settings.cron === null && settings.everySeconds === null ? [NEITHER] : []),
    ...(changes.type !== undefined || changes.payload !== undefined
      ? jobIssues(rules, settings.type, settings.payload)
      : []),
  ];
  return issues.length > 0 ? { issues } : { value: settings };
}

const BOTH: ErrorDetail = { path: 'every_seconds', message: '"every_seconds" is not allowed together with "cron"' };
const NEITHER: ErrorDetail = { path: 'cron', message: 'either "cron" or "every_seconds" is required' };
const EMPTY = { cron: null, everySeconds: null, limitName: null, limitKey: null, callbackUrl: null };

function timingIssues({
  cron,
  every_seconds: everySeconds,
}: Pick<ScheduleFields, 'cron' | 'every_seconds'>): ErrorDetail[] {
  if (isSet(cron) && isSet(everySeconds)) return [BOTH];
  return isSet(cron) || isSet(everySeconds) ? [] : [NEITHER];
}

function isSet<T>(value: T | null | undefined): value is T {
  return value !== null && value !== undefined;
}

/** The issues of the job: its type must be accepted, and the payload is checked like that of a submission. */
function jobIssues(rules: SubmissionRules, type: unknown, payload: unknown): ErrorDetail[] {
  return storedSubmissionIssues(
    rules,
    typeof type === 'string' ? type : '',
    isJsonObject(payload) ? payload : undefined,
  );
}

function issuesOf(validated: Validated<unknown>): ErrorDetail[] {
  return 'issues' in validated ? validated.issues : [];
}

/** Only the fields that the request has. */
function toSettings(fields: ScheduleFields): Omit<ScheduleSettings, keyof typeof EMPTY> & Partial<ScheduleSettings>;
function toSettings(fields: Partial<ScheduleFields>): Partial<ScheduleSettings>;
function toSettings(fields: Partial<ScheduleFields>): Partial<ScheduleSettings> {
  const { every_seconds, max_retries, limit, key, callback_url, payload, ...same } = fields;
  return {
    ...same,
    // The cast: the body was JSON.
    ...(payload !== undefined && { payload: payload as JsonObject }),
    ...(every_seconds !== undefined && { everySeconds: every_seconds }),
    ...(max_retries !== undefined && { maxRetries: max_retries }),
    ...(limit !== undefined && { limitName: limit }),
    ...(key !== undefined && { limitKey: key }),
    ...(callback_url !== undefined && { callbackUrl: callback_url }),
  };
}
