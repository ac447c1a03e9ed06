import { findDelivery } from '@jobline/db';
import { defineEndpoint } from '../../../endpoint.js';
import { notFound } from '../../../http/errors.js';
import { UUID_PATTERN } from '../../../http/fields.js';
import { json } from '../../../http/response-specs.js';
import { deliveryDetailView, toDeliveryDetailView } from '../../../views/webhook-view.js';

/** A delivery with its body and its attempts. */
export const getDelivery = defineEndpoint({
  method: 'get',
  path: '/org/webhooks/:id/deliveries/:delivery',
  summary: 'Read a delivery',
  auth: 'bearer',
  right: 'webhooks',
  needs: ['db'],
  params: { id: UUID_PATTERN, delivery: UUID_PATTERN },
  responses: { 200: json('The delivery, with its body and its attempts.', deliveryDetailView) },
  async handle({ deps: { db }, principal: { orgId }, params: { id, delivery } }) {
    const row = await findDelivery(db, orgId, id, delivery);
    if (!row) throw notFound();
    return { status: 200, body: toDeliveryDetailView(row) };
  },
});
