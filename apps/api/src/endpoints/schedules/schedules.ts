import { JOB_STATUSES, NAME_PATTERN, SCHEDULE_MISSED, SCHEDULE_OVERLAPS, TAG_PATTERN } from '@jobline/contracts';
import {
  findSchedule,
  listSchedules as listScheduleRows,
  readNowMs,
  recordAudit,
  removeRow,
  type ScheduleRow,
} from '@jobline/db';
import { describeTiming, type Preview, previewTiming, shortText } from '@jobline/engine';
import Joi from 'joi';
import { defineEndpoint } from '../../endpoint.js';
import { notFound } from '../../http/errors.js';
import { uuid } from '../../http/fields.js';
import type { PageQuery } from '../../http/paging.js';
import { empty, json } from '../../http/response-specs.js';
import { count, mapTo, timestamp, type ViewOf, view } from '../../http/view.js';
import { defineListEndpoint, defineReadEndpoint } from '../row-endpoints.js';
import { previewBody } from './schedule-body.js';

/** What the view shows of a row. */
export type ShownSchedule = Omit<ScheduleRow, 'anchorAt'>;
type ScheduleView = ViewOf<Omit<ShownSchedule, 'limitName' | 'limitKey'>> & {
  description: string;
  limit: string | null;
  key: string | null;
};

const orNull = () => Joi.string().allow(null);

export const scheduleView = view<ScheduleView>('Schedule', {
  id: uuid(),
  name: Joi.string(),
  cron: orNull().description('Null if `every_seconds` is set.'),
  every_seconds: count().allow(null).description('Null if `cron` is set.'),
  timezone: Joi.string().description('The IANA name of the time zone of `cron`.'),
  description: Joi.string().description('The timing as a sentence.'),
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
  last_status: Joi.valid(...JOB_STATUSES)
    .allow(null)
    .description('The status of its latest job. Null: there is none, or it was deleted.'),
  skipped: count().description('How many planned times made no job because of `overlap`.'),
  created_at: timestamp(),
});

const schedulePreviewView = view<ReturnType<typeof toSchedulePreviewView>>('SchedulePreview', {
  times: Joi.array().items(timestamp()).description('Fewer than requested if no more times come.'),
  description: Joi.string().description('The timing as a sentence.'),
});

const toView = mapTo(scheduleView);

export async function toScheduleView(row: ShownSchedule): Promise<ScheduleView> {
  return toView({ ...row, limit: row.limitName, key: row.limitKey, description: await describeTiming(row) });
}

function toSchedulePreviewView({ times, description }: Preview) {
  return { times: times.map((at) => at.toISOString()), description };
}

/** The organization's schedules, newest first. */
export const listSchedules = defineListEndpoint({
  path: '/schedules',
  summary: 'List schedules',
  scope: 'schedules:read',
  description: 'A page of schedules',
  view: scheduleView,
  filters: { name: shortText().description('Schedules whose name contains this; upper and lower case are the same.') },
  async rows(db, orgId, query: PageQuery & { name?: string }, types) {
    const { items, next } = await listScheduleRows(db, orgId, { ...query, types });
    return { items: await Promise.all(items.map(toScheduleView)), next };
  },
  toView: (schedule) => schedule,
});

export const getSchedule = defineReadEndpoint({
  path: '/schedules/:id',
  summary: 'Read a schedule',
  scope: 'schedules:read',
  description: 'The schedule.',
  view: scheduleView,
  async find(db, orgId, id) {
    const row = await findSchedule(db, orgId, id);
    return row && toScheduleView(row);
  },
  toView: (schedule) => schedule,
});

/** The next times of a timing, from now on. Nothing is stored. */
export const previewSchedule = defineEndpoint({
  method: 'post',
  path: '/schedules/preview',
  summary: 'Preview the times of a schedule',
  auth: 'schedules:read',
  needs: ['db'],
  limits: { caller: 'read' },
  body: previewBody,
  responses: { 200: json('The next times, and the timing as a sentence.', schedulePreviewView) },
  async handle({ deps, body: { count, ...timing } }) {
    const now = new Date(await readNowMs(deps.db));
    return { status: 200, body: toSchedulePreviewView(await previewTiming(timing, now, count)) };
  },
});

/** Deletes a schedule. Times that are due already are made before, and its jobs stay. */
export const deleteSchedule = defineEndpoint({
  method: 'delete',
  path: '/schedules/:id',
  summary: 'Delete a schedule',
  auth: 'schedules:write',
  needs: ['db', 'plan'],
  responses: { 204: empty('The schedule is deleted. Its jobs stay.') },
  async handle({ deps, principal: { orgId }, origin, params: { id } }) {
    await deps.plan.settle(orgId, id);
    await deps.db.$transaction(async (tx) => {
      const name = await removeRow(tx, orgId, 'schedules', id);
      if (name === null) throw notFound();
      await recordAudit(tx, orgId, { ...origin, action: 'schedule.deleted', target: { id, name } });
    });
    return { status: 204 };
  },
});
