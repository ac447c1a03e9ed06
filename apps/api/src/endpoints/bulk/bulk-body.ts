import {
  BULK_ACTIONS,
  BULK_LIMITS,
  type BulkActionKind,
  JOB_ERROR_CODES,
  JOB_STATUSES,
  type JobErrorCode,
  type JobStatus,
  type JsonObject,
  LIMITS,
  NAME_PATTERN,
  type VisibleTypes,
} from '@jobline/contracts';
import type { BulkFilter } from '@jobline/db';
import Joi, { type ObjectSchema } from 'joi';
import { selectTypes } from '../../auth/visible-types.js';
import { instant, oneOf, shortText, tag } from '../../http/fields.js';
import { listOf } from '../../http/list-of.js';

interface Filter {
  status?: JobStatus | 'completed';
  type?: string;
  tag?: string[];
  error_code?: JobErrorCode;
  key?: string;
  created_after?: Date;
  created_before?: Date;
  schedule?: string;
  ids?: string[];
}

export interface BulkBody {
  action: BulkActionKind;
  filter: Filter;
  dry_run: boolean;
  per_second?: number;
}

const filter: ObjectSchema<Filter> = Joi.object({
  status: Joi.valid(...JOB_STATUSES, 'completed').description('`completed` means `done`.'),
  type: Joi.string().pattern(NAME_PATTERN),
  tag: listOf(LIMITS.tagsInFilter, tag())
    .single()
    .min(1)
    .meta({ jsonSchema: { type: ['array', 'string'] } })
    .description('A tag, or several: the jobs have all of them.'),
  error_code: Joi.valid(...Object.keys(JOB_ERROR_CODES)).description('Jobs that failed with this error code.'),
  key: shortText().description('Jobs that were submitted with this `key`.'),
  created_after: instant().description('Jobs created at or after this time.'),
  created_before: instant().description('Jobs created before this time.'),
  schedule: shortText().description('The id of a schedule: its jobs, runs by hand included.'),
  ids: listOf(BULK_LIMITS.ids, shortText()).min(1).description('The ids of jobs.'),
})
  .min(1)
  .description('A job matches if it matches every field. At least one is required.')
  .meta({ view: 'BulkFilter' });

export const bulkBody: ObjectSchema<BulkBody> = Joi.object({
  action: oneOf(BULK_ACTIONS).required(),
  filter: filter.required(),
  dry_run: Joi.boolean().default(false).description('True: only count the jobs that match.'),
  per_second: Joi.number()
    .integer()
    .min(1)
    .max(BULK_LIMITS.perSecond)
    .description(
      `The highest number of jobs per second. Absent: ${BULK_LIMITS.startedPerSecond} for retry and rerun, which start jobs. Cancel and delete are bounded by the database alone.`,
    ),
});

/** `types`: the job types that the caller may see. */
export function toBulkFilter({ status, tag: tags, key, schedule, ...filter }: Filter, types: VisibleTypes): BulkFilter {
  return {
    statuses: status === undefined ? [] : [status === 'completed' ? 'done' : status],
    types: selectTypes(types, filter.type),
    tags,
    errorCode: filter.error_code,
    limitKey: key,
    createdAfter: filter.created_after,
    createdBefore: filter.created_before,
    scheduleId: schedule,
    ids: filter.ids,
  };
}

/** The filter as its caller would write it. */
export function askedFilter({ created_after: after, created_before: before, ...filter }: Filter): JsonObject {
  return {
    ...filter,
    ...(after && { created_after: after.toISOString() }),
    ...(before && { created_before: before.toISOString() }),
  };
}
