import { DELIVERY_STATUSES, type DeliveryStatus } from '@jobline/contracts';
import { findWebhook, listDeliveries as listDeliveryRows } from '@jobline/db';
import { defineEndpoint } from '../../../endpoint.js';
import { notFound } from '../../../http/errors.js';
import { oneOf, UUID_PATTERN } from '../../../http/fields.js';
import { pageAnswer, pageQuery } from '../../../http/paging.js';
import { page } from '../../../http/response-specs.js';
import { deliveryView, toDeliveryView } from '../../../views/webhook-view.js';

/** The deliveries of a webhook, newest first. */
export const listDeliveries = defineEndpoint({
  method: 'get',
  path: '/org/webhooks/:id/deliveries',
  summary: 'List the deliveries of a webhook',
  auth: 'bearer',
  right: 'webhooks',
  needs: ['db'],
  params: { id: UUID_PATTERN },
  query: pageQuery<{ status?: DeliveryStatus }>(UUID_PATTERN, { status: oneOf(DELIVERY_STATUSES) }),
  responses: { 200: page('A page of deliveries', deliveryView) },
  async handle({ deps: { db }, principal: { orgId }, params: { id }, query, url }) {
    if (!(await findWebhook(db, orgId, id))) throw notFound();
    return pageAnswer(url, await listDeliveryRows(db, orgId, { webhookId: id }, query), toDeliveryView);
  },
});
