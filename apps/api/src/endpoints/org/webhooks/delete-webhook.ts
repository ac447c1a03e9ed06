import { deleteDeliveries, deleteWebhook as deleteWebhookRow } from '@jobline/db';
import { defineRemovalEndpoint } from '../../row-endpoints.js';

export const deleteWebhook = defineRemovalEndpoint({
  path: '/org/webhooks/:id',
  summary: 'Delete a webhook',
  right: 'webhooks',
  description: 'The webhook is deleted, with its deliveries.',
  action: 'webhook.deleted',
  removeParts: deleteDeliveries,
  remove: deleteWebhookRow,
});
