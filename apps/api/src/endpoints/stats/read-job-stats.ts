import { STATS_WINDOWS, type StatsWindow } from '@jobline/contracts';
import Joi from 'joi';
import { defineEndpoint } from '../../endpoint.js';
import { json } from '../../http/responses.js';
import { jobStatsView, toJobStatsView } from '../../views/job-stats-view.js';

/** What an overview shows: how many jobs are where, and how many ended lately. */
export const readJobStats = defineEndpoint({
  method: 'get',
  path: '/stats/jobs',
  summary: 'Count jobs',
  auth: 'bearer',
  right: 'jobs',
  query: Joi.object<{ window: StatsWindow }>({
    window: Joi.valid(...STATS_WINDOWS)
      .default('24h')
      .description('How far back finished jobs are counted, in steps of 1 minute, 30 minutes or 3 hours.'),
  }),
  responses: {
    200: json('What is pending and processing now, and what became done and failed in the window.', jobStatsView),
  },
  async handle({ deps, principal, query }) {
    return { status: 200, body: toJobStatsView(await deps.jobStats.read(principal.orgId, query.window)) };
  },
});
