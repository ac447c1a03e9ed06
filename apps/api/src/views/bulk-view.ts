import {
  BULK_ACTIONS,
  BULK_LIMITS,
  BULK_STATUSES,
  type BulkActionView,
  FAILURE_SERIES_LENGTH,
  type FailureGroupView,
  JOB_ERROR_CODES,
  NAME_PATTERN,
} from '@jobline/contracts';
import type { BulkRow, FailureGroup } from '@jobline/db';
import Joi from 'joi';
import { uuid } from '../http/fields.js';
import { count, text, timestamp, view } from './view.js';

export const bulkView = view<BulkActionView>('BulkAction', {
  id: uuid(),
  action: Joi.valid(...BULK_ACTIONS),
  filter: Joi.object().description('As it was requested.'),
  status: Joi.valid(...BULK_STATUSES),
  total: count().description('How many jobs matched when the action was accepted. Only these are touched.'),
  done: count(),
  skipped: count().description('Jobs whose state does not allow the action, or no longer does.'),
  failed: count().description('Jobs for which an error occurred.'),
  created_at: timestamp(),
  finished_at: timestamp().allow(null),
});

export const bulkCountView = view<{ matches: number; more?: true }>(
  'BulkCount',
  {
    matches: count().max(BULK_LIMITS.counted),
    more: Joi.valid(true).description('Present if more jobs match.'),
  },
  { optional: ['more'] },
);

export const failureGroupView = view<FailureGroupView>('FailureGroup', {
  type: Joi.string().pattern(NAME_PATTERN),
  error_code: Joi.valid(...Object.keys(JOB_ERROR_CODES)),
  message: text().description('With placeholders instead of numbers, ids and addresses.'),
  count: count(),
  first_at: timestamp().description('When the first of these jobs failed.'),
  last_at: timestamp(),
  series: Joi.array()
    .items(count())
    .length(FAILURE_SERIES_LENGTH)
    .description('How many of these jobs finished in each part of the time window, the oldest part first.'),
  example_ids: Joi.array().items(Joi.string().pattern(NAME_PATTERN)).max(3).description('The latest of these jobs.'),
});

export function toBulkView({ createdAt, finishedAt, ...row }: BulkRow): BulkActionView {
  return { ...row, created_at: createdAt.toISOString(), finished_at: finishedAt?.toISOString() ?? null };
}

export function toFailureGroupView({
  errorCode,
  firstAt,
  lastAt,
  exampleIds,
  ...group
}: FailureGroup): FailureGroupView {
  return {
    ...group,
    error_code: errorCode,
    first_at: firstAt.toISOString(),
    last_at: lastAt.toISOString(),
    example_ids: exampleIds,
  };
}
