import { STATS_WINDOWS, type StatsWindow } from '@jobline/contracts';
import Joi from 'joi';
import { defineEndpoint } from '../../endpoint.js';
import { json } from '../../http/response-specs.js';
import { toWebhookStatsView, webhookStatsView } from '../../views/webhook-stats-view.js';

/** Whether the webhooks of the organization get their events. */
export const readWebhookStats = defineEndpoint({
  method: 'get',
  path: '/stats/webhooks',
  summary: 'Count the deliveries to webhooks',
  auth: 'bearer',
  right: 'webhooks',
  needs: ['webhookStats'],
  query: Joi.object<{ window: StatsWindow }>({
    window: Joi.valid(...STATS_WINDOWS)
      .default('24h')
      .description('Counts deliveries that were created in this time window.'),
  }),
  responses: { 200: json('The webhooks, newest first.', Joi.array().items(webhookStatsView)) },
  async handle({ deps, principal, query }) {
    const stats = await deps.webhookStats.read(principal.orgId, query.window);
    return { status: 200, body: stats.map(toWebhookStatsView) };
  },
});
