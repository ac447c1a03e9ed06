import { listWebhooks as listWebhookRows } from '@jobline/db';
import { toWebhookView, webhookView } from '../../../views/webhook-view.js';
import { defineListEndpoint } from '../../row-endpoints.js';

/** The organization's webhooks, newest first. */
export const listWebhooks = defineListEndpoint({
  path: '/org/webhooks',
  summary: 'List the webhooks of the organization',
  right: 'webhooks',
  description: 'A page of webhooks',
  view: webhookView,
  rows: listWebhookRows,
  toView: toWebhookView,
});
