import { readNowMs } from '@jobline/db';
import { previewTiming } from '@jobline/engine';
import { defineEndpoint } from '../../endpoint.js';
import { json } from '../../http/response-specs.js';
import { schedulePreviewView, toSchedulePreviewView } from '../../views/schedule-view.js';
import { previewBody } from './schedule-body.js';

/** The next times of a timing, from now on. Nothing is stored. */
export const previewSchedule = defineEndpoint({
  method: 'post',
  path: '/schedules/preview',
  summary: 'Preview the times of a schedule',
  auth: 'schedules:read',
  right: 'schedules',
  needs: ['db'],
  limits: { caller: 'read' },
  body: previewBody,
  responses: { 200: json('The next times, and the timing as a sentence.', schedulePreviewView) },
  async handle({ deps, body: { count, ...timing } }) {
    const now = new Date(await readNowMs(deps.db));
    return { status: 200, body: toSchedulePreviewView(await previewTiming(timing, now, count)) };
  },
});
