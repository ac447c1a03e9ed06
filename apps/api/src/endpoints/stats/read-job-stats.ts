import { STATS_WINDOWS, type StatsWindow } from '@jobline/contracts';
import Joi from 'joi';
import { defineEndpoint } from '../../endpoint.js';
import { json } from '../../http/response-specs.js';
import { jobStatsView, toJobStatsView } from '../../views/job-stats-view.js';

/** The numbers of an overview: jobs by status, and jobs that finished recently. */
export const readJobStats = defineEndpoint({
  method: 'get',
  path: '/stats/jobs',
  summary: 'Count jobs',
  auth: 'stats:read',
  right: 'jobs',
  needs: ['jobStats'],
  query: Joi.object<{ window: StatsWindow }>({
    window: Joi.valid(...STATS_WINDOWS)
      .default('24h')
      .description('The time window for finished jobs. Its steps are 1 minute, 30 minutes or 3 hours long.'),
  }),
  responses: {
    200: json(
      'Jobs that are pending or processing now, and jobs that became done or failed in the window.',
      jobStatsView,
    ),
  },
  async handle({ deps, principal, query }) {
    const stats = await deps.jobStats.read(principal.orgId, query.window, principal.types);
    return { status: 200, body: toJobStatsView(stats) };
  },
});
