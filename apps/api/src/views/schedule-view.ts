import {
  NAME_PATTERN,
  SCHEDULE_MISSED,
  SCHEDULE_OVERLAPS,
  type SchedulePreviewView,
  type ScheduleView,
  TAG_PATTERN,
} from '@jobline/contracts';
import type { ScheduleRow } from '@jobline/db';
import type { Preview } from '@jobline/engine';
import Joi from 'joi';
import { uuid } from '../http/fields.js';
import { count, timestamp, view } from './view.js';

const orNull = () => Joi.string().allow(null);

export const scheduleView = view<ScheduleView>('Schedule', {
  id: uuid(),
  name: Joi.string(),
  cron: orNull().description('Null if `every_seconds` is set.'),
  every_seconds: count().allow(null).description('Null if `cron` is set.'),
  timezone: Joi.string().description('The IANA name of the time zone of `cron`.'),
  type: Joi.string().pattern(NAME_PATTERN),
  payload: Joi.object(),
  max_retries: count(),
  priority: count(),
  tags: Joi.array().items(Joi.string().pattern(TAG_PATTERN)),
  limit: orNull(),
  key: orNull(),
  callback_url: orNull(),
  overlap: Joi.valid(...SCHEDULE_OVERLAPS),
  missed: Joi.valid(...SCHEDULE_MISSED),
  enabled: Joi.boolean().description('False: paused.'),
  next_run_at: timestamp().allow(null).description('Null while the schedule is paused, or if its time never comes.'),
  last_run_at: timestamp().allow(null).description('The planned time of its latest job, or the time of a run by hand.'),
  last_job_id: orNull(),
  skipped: count().description('How many planned times made no job because of `overlap`.'),
  created_at: timestamp(),
});

export const schedulePreviewView = view<SchedulePreviewView>('SchedulePreview', {
  times: Joi.array().items(timestamp()).description('Fewer than requested if no more times come.'),
  description: Joi.string().description('The timing as a sentence.'),
});

/** What the view shows of a row. */
export type ShownSchedule = Omit<ScheduleRow, 'anchorAt'>;

export function toScheduleView(row: ShownSchedule): ScheduleView {
  return {
    id: row.id,
    name: row.name,
    cron: row.cron,
    every_seconds: row.everySeconds,
    timezone: row.timezone,
    type: row.type,
    payload: row.payload,
    max_retries: row.maxRetries,
    priority: row.priority,
    tags: row.tags,
    limit: row.limitName,
    key: row.limitKey,
    callback_url: row.callbackUrl,
    overlap: row.overlap,
    missed: row.missed,
    enabled: row.enabled,
    next_run_at: row.nextRunAt?.toISOString() ?? null,
    last_run_at: row.lastRunAt?.toISOString() ?? null,
    last_job_id: row.lastJobId,
    skipped: row.skipped,
    created_at: row.createdAt.toISOString(),
  };
}

export function toSchedulePreviewView({ times, description }: Preview): SchedulePreviewView {
  return { times: times.map((at) => at.toISOString()), description };
}
