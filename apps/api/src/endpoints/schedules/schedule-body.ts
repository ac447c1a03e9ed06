import {
  type ErrorDetail,
  type JsonObject,
  LIMITS,
  SCHEDULE_MISSED,
  SCHEDULE_OVERLAPS,
  type ScheduleMissed,
  type ScheduleOverlap,
} from '@jobline/contracts';
import type { ScheduleSettings } from '@jobline/db';
import {
  bodyValidator,
  callbackUrl,
  findCronIssue,
  findWallClock,
  isJsonObject,
  jobType,
  limitName,
  type SubmissionRules,
  shortText,
  tag,
  type Validated,
} from '@jobline/engine';
import { listOf } from '@jobline/handlers';
import Joi, { type ObjectSchema, type StringSchema } from 'joi';
import type { CustomBody } from '../../endpoint.js';
import { name, oneOf } from '../../http/fields.js';
import { storedSubmissionIssues } from '../jobs/stored-submission.js';
import { rulesOf } from '../jobs/submission.js';

/** The fields of a schedule on the wire. Null means the same as a field that is left out. */
interface ScheduleFields {
  name: string;
  cron?: string | null;
  every_seconds?: number | null;
  timezone: string;
  type: string;
  payload: object;
  max_retries?: number;
  priority: number;
  tags: string[];
  limit?: string | null;
  key?: string | null;
  callback_url?: string | null;
  overlap: ScheduleOverlap;
  missed: ScheduleMissed;
  enabled: boolean;
}

const { cronLength, leastSeconds, mostSeconds } = LIMITS.schedules;

/** The fields that say when a schedule runs. */
const timingFields = {
  cron: cron()
    .allow(null)
    .description(
      'Five fields, or six with the seconds first, with names, ranges, steps, lists and `L` (the last day of the month); ' +
        'or `@hourly`, `@daily`, `@weekly`, `@monthly`. Instead of `every_seconds`.',
    ),
  every_seconds: Joi.number()
    .integer()
    .min(leastSeconds)
    .max(mostSeconds)
    .allow(null)
    .description('The time between two runs. Instead of `cron`.'),
  timezone: timezone().description('The IANA name of the time zone of `cron`. Default: `UTC`.'),
};

const scheduleFields = {
  name: name(),
  ...timingFields,
  type: jobType(),
  payload: Joi.object(),
  max_retries: Joi.number().integer().min(0).max(LIMITS.maxRetries),
  priority: Joi.number().integer().min(0).max(LIMITS.maxPriority),
  tags: listOf(LIMITS.tags, tag()).unique(),
  limit: limitName().allow(null),
  key: shortText().allow(null),
  callback_url: callbackUrl().allow(null),
  overlap: oneOf(SCHEDULE_OVERLAPS).description('What happens while an earlier planned job has not finished.'),
  missed: oneOf(SCHEDULE_MISSED).description('What happens to planned times that passed while the service was down.'),
  enabled: Joi.boolean().description('False pauses the schedule.'),
};

const creation: ObjectSchema<ScheduleFields> = Joi.object({
  ...scheduleFields,
  name: scheduleFields.name.required(),
  type: scheduleFields.type.required(),
  payload: scheduleFields.payload.required(),
  timezone: scheduleFields.timezone.default('UTC'),
  priority: scheduleFields.priority.default(0),
  tags: scheduleFields.tags.default([]),
  overlap: scheduleFields.overlap.default('allow'),
  missed: scheduleFields.missed.default('run_once'),
  enabled: scheduleFields.enabled.default(true),
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
  timezone: scheduleFields.timezone.default('UTC'),
  count: Joi.number().integer().min(1).max(LIMITS.schedules.previewTimes).default(DEFAULT_COUNT),
}).meta({ view: 'SchedulePreviewRequest' });

const validateCreation = bodyValidator(creation);
const validateChange = bodyValidator(change);
const validatePreview = bodyValidator(preview);

/** The settings of a new schedule. Without `maxRetries`, it gets the default of its type. */
export type NewSchedule = Omit<ScheduleSettings, 'maxRetries'> & Partial<Pick<ScheduleSettings, 'maxRetries'>>;

export const creationBody: CustomBody<NewSchedule> = {
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
function toSettings(fields: ScheduleFields): Omit<NewSchedule, keyof typeof EMPTY> & Partial<ScheduleSettings>;
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

function cron(): StringSchema {
  return Joi.string()
    .trim()
    .custom((text: string, { message }) => {
      const issue = findCronIssue(text);
      // As a value, because the text is not a template.
      return issue === null ? text : message({ custom: '{{#label}} {{#issue}}' }, { issue });
    })
    .meta({ jsonSchema: { maxLength: cronLength } })
    .prefs({ convert: true });
}

function timezone(): StringSchema {
  return Joi.string().custom((text: string, { message }) =>
    findWallClock(text)
      ? text
      : message({ custom: '{{#label}} must be the IANA name of a time zone, such as Europe/Berlin' }),
  );
}
