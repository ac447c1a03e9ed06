import { findSchedule } from '@jobline/db';
import { scheduleView, toScheduleView } from '../../views/schedule-view.js';
import { defineReadEndpoint } from '../row-endpoints.js';

export const getSchedule = defineReadEndpoint({
  path: '/schedules/:id',
  summary: 'Read a schedule',
  right: 'schedules',
  scope: 'schedules:read',
  description: 'The schedule.',
  view: scheduleView,
  find: findSchedule,
  toView: toScheduleView,
});
