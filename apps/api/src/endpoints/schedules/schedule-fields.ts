import {
  LIMITS,
  SCHEDULE_MISSED,
  SCHEDULE_OVERLAPS,
  type ScheduleMissed,
  type ScheduleOverlap,
} from '@jobline/contracts';
import { findCronIssue, findWallClock } from '@jobline/engine';
import Joi, { type StringSchema } from 'joi';
import { callbackUrl, limitName, name, oneOf, shortText, tag } from '../../http/fields.js';
import { listOf } from '../../http/list-of.js';
import { jobType } from '../jobs/submission.js';

/** The fields of a schedule on the wire. Null means the same as a field that is left out. */
export interface ScheduleFields {
  name: string;
  cron?: string | null;
  every_seconds?: number | null;
  timezone: string;
  type: string;
  payload: object;
  max_retries: number;
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
export const timingFields = {
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

export const scheduleFields = {
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
