import { findDelivery, repeatDelivery } from '@jobline/db';
import { defineEndpoint } from '../../../endpoint.js';
import { notFound } from '../../../http/errors.js';
import { UUID_PATTERN } from '../../../http/fields.js';
import { json } from '../../../http/response-specs.js';
import { deliveryView, toDeliveryView } from '../../../views/webhook-view.js';
import { enabledWebhook } from './enabled-webhook.js';

/** One more attempt of a delivery, at once. */
export const redeliver = defineEndpoint({
  method: 'post',
  path: '/org/webhooks/:id/deliveries/:delivery/redeliver',
  summary: 'Deliver an event again',
  auth: 'bearer',
  right: 'webhooks',
  needs: ['db'],
  limits: { caller: 'manage' },
  params: { id: UUID_PATTERN, delivery: UUID_PATTERN },
  responses: { 202: json('The delivery, which gets one more attempt.', deliveryView) },
  errors: ['conflict'],
  async handle({ deps: { db }, principal: { orgId }, params: { id, delivery } }) {
    await enabledWebhook(db, orgId, id);
    await repeatDelivery(db, orgId, id, delivery);
    const row = await findDelivery(db, orgId, id, delivery);
    if (!row) throw notFound();
    return { status: 202, body: toDeliveryView(row) };
  },
});
