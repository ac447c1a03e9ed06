import { STATS_WINDOWS, type StatsWindow } from '@jobline/contracts';
import Joi from 'joi';
import { defineEndpoint } from '../../endpoint.js';
import { json } from '../../http/response-specs.js';
import { failureGroupView, toFailureGroupView } from '../../views/bulk-view.js';

/** Why jobs failed: groups of failed jobs, the largest first. */
export const readFailures = defineEndpoint({
  method: 'get',
  path: '/stats/failures',
  summary: 'Group failed jobs by their reason',
  auth: 'stats:read',
  right: 'jobs',
  needs: ['failureStats'],
  query: Joi.object<{ window: StatsWindow }>({
    window: Joi.valid(...STATS_WINDOWS)
      .default('24h')
      .description('Counts jobs that finished in this time window.'),
  }),
  responses: {
    200: json(
      'At most 100 groups of jobs that are failed now, canceled ones included.',
      Joi.array().items(failureGroupView),
    ),
  },
  async handle({ deps, principal, query }) {
    const groups = await deps.failureStats.read(principal.orgId, query.window, principal.types);
    return { status: 200, body: groups.map(toFailureGroupView) };
  },
});
