import { NAME_PATTERN } from '@jobline/contracts';
import { findJobKey, listDeliveries } from '@jobline/db';
import { defineEndpoint } from '../../endpoint.js';
import { notFound } from '../../http/errors.js';
import { UUID_PATTERN } from '../../http/fields.js';
import { pageAnswer, pageQuery } from '../../http/paging.js';
import { page } from '../../http/response-specs.js';
import { deliveryView, toDeliveryView } from '../../views/webhook-view.js';

/** The deliveries of a job's events to its callback URL, newest first. */
export const listCallbacks = defineEndpoint({
  method: 'get',
  path: '/jobs/:id/callbacks',
  summary: 'List the deliveries to the callback URL of a job',
  auth: 'jobs:read',
  right: 'jobs',
  needs: ['db'],
  params: { id: NAME_PATTERN },
  query: pageQuery(UUID_PATTERN),
  responses: { 200: page('A page of deliveries', deliveryView) },
  async handle({ deps: { db }, principal: { orgId }, params: { id }, query, url }) {
    const jobKey = await findJobKey(db, orgId, id);
    if (jobKey === null) throw notFound();
    return pageAnswer(url, await listDeliveries(db, orgId, { jobKey }, query), toDeliveryView);
  },
});
