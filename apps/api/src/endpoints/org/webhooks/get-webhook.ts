import { findWebhook } from '@jobline/db';
import { toWebhookView, webhookView } from '../../../views/webhook-view.js';
import { defineReadEndpoint } from '../../row-endpoints.js';

export const getWebhook = defineReadEndpoint({
  path: '/org/webhooks/:id',
  summary: 'Read a webhook',
  right: 'webhooks',
  description: 'The webhook.',
  view: webhookView,
  find: findWebhook,
  toView: toWebhookView,
});
