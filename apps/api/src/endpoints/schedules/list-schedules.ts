import { listSchedules as listScheduleRows } from '@jobline/db';
import { scheduleView, toScheduleView } from '../../views/schedule-view.js';
import { defineListEndpoint } from '../row-endpoints.js';

/** The organization's schedules, newest first. */
export const listSchedules = defineListEndpoint({
  path: '/schedules',
  summary: 'List schedules',
  right: 'schedules',
  scope: 'schedules:read',
  description: 'A page of schedules',
  view: scheduleView,
  rows: (db, orgId, query, types) => listScheduleRows(db, orgId, { ...query, types }),
  toView: toScheduleView,
});
