import type { DeliveryStats } from '@jobline/db';
import Joi from 'joi';
import { uuid } from '../http/fields.js';
import { count, timestamp, view } from './view.js';

type WebhookStatsView = ReturnType<typeof toWebhookStatsView>;

const counts = { pending: count(), delivered: count(), failed: count() };

export const webhookStatsView = view<WebhookStatsView>('WebhookStats', {
  webhook_id: uuid(),
  ...counts,
  series: Joi.array()
    .items(
      view<WebhookStatsView['series'][number]>('WebhookStatsStep', {
        at: timestamp().description('The start of the step.'),
        ...counts,
      }),
    )
    .description('The window in equal steps without gaps, oldest first. The last step has not ended yet.'),
});

export function toWebhookStatsView({ webhookId, series }: DeliveryStats) {
  const sum = (status: 'pending' | 'delivered' | 'failed') => series.reduce((total, step) => total + step[status], 0);
  return {
    webhook_id: webhookId,
    pending: sum('pending'),
    delivered: sum('delivered'),
    failed: sum('failed'),
    series: series.map(({ at, ...step }) => ({ ...step, at: at.toISOString() })),
  };
}
