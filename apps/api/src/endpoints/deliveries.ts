import { DELIVERED_EVENTS, DELIVERY_STATUSES, type DeliveryStatus, NAME_PATTERN } from '@jobline/contracts';
import {
  type DeliveryDetailRow,
  type DeliveryRow,
  findDelivery,
  findJobKey,
  findWebhook,
  listDeliveries as listDeliveryRows,
  repeatDelivery,
  type TryRow,
} from '@jobline/db';
import { instant } from '@jobline/engine';
import { bodyOf } from '@jobline/messaging';
import Joi from 'joi';
import { defineEndpoint } from '../endpoint.js';
import { notFound } from '../http/errors.js';
import { oneOf, UUID_PATTERN, uuid } from '../http/fields.js';
import { pageAnswer, pageQuery } from '../http/paging.js';
import { json, page } from '../http/response-specs.js';
import { count, mapTo, text, timestamp, type ViewOf, view } from '../http/view.js';
import { NO_ROWS } from './row-endpoints.js';
import { enabledWebhook } from './webhooks.js';

const httpStatus = () => count().allow(null).description('The HTTP status of the answer; null: there was none.');

const delivery = {
  id: uuid(),
  event: Joi.string().description('The type of the event.'),
  status: Joi.valid(...DELIVERY_STATUSES),
  attempts: count(),
  last_status: httpStatus(),
  last_error: Joi.string().allow(null),
  next_attempt_at: timestamp().allow(null).description('Null: no attempt follows.'),
  created_at: timestamp(),
  job_id: Joi.string()
    .description('Only for events about a job, its messages or its payment, while the job is stored.')
    .optional(),
};

type DeliveryView = Omit<ViewOf<DeliveryRow>, 'job_id'> & { job_id?: string };

interface DeliveryDetailView extends DeliveryView {
  body: object;
  tries: ViewOf<TryRow>[];
}

const deliveryView = view<DeliveryView>('Delivery', delivery);

const deliveryDetailView = view<DeliveryDetailView>('DeliveryDetail', {
  ...delivery,
  body: Joi.object().unknown().description('What is sent: `{id, type, timestamp, data}`.'),
  tries: Joi.array().items(
    view<ViewOf<TryRow>>('DeliveryTry', {
      at: timestamp(),
      status: httpStatus(),
      error: Joi.string().allow(null).description('Null: the receiver has accepted the event.'),
      answer: text().allow(null).description('The first 1,024 bytes of the answer; null: there was none.'),
      ms: count().description('Duration.'),
    }),
  ),
});

const toView = mapTo(deliveryView);

function toDeliveryView(row: DeliveryRow): DeliveryView {
  return toView({ ...row, jobId: row.jobId ?? undefined });
}

function toDeliveryDetailView({ sent, tries, ...row }: DeliveryDetailRow): DeliveryDetailView {
  return {
    ...toDeliveryView(row),
    // The cast: an event is an object.
    body: JSON.parse(bodyOf(sent)) as object,
    tries: tries.map(({ at, ...attempt }) => ({ ...attempt, at: at.toISOString() })),
  };
}

interface DeliveryQuery {
  status?: DeliveryStatus;
  event?: string;
  job?: string;
  status_code?: number;
  created_after?: Date;
  created_before?: Date;
}

/** The deliveries of a webhook, newest first. */
export const listDeliveries = defineEndpoint({
  method: 'get',
  path: '/org/webhooks/:id/deliveries',
  summary: 'List the deliveries of a webhook',
  right: 'webhooks',
  needs: ['db'],
  query: pageQuery<DeliveryQuery>(UUID_PATTERN, {
    status: oneOf(DELIVERY_STATUSES),
    event: oneOf(DELIVERED_EVENTS).description('Deliveries of this event.'),
    job: Joi.string().pattern(NAME_PATTERN).description('Deliveries about this job, its messages and its payment.'),
    status_code: Joi.number()
      .integer()
      .min(100)
      .max(599)
      .description('Deliveries whose latest answer has this status.'),
    created_after: instant().description('Deliveries created at or after this time.'),
    created_before: instant().description('Deliveries created before this time.'),
  }),
  responses: { 200: page('A page of deliveries', deliveryView) },
  async handle({ deps: { db }, principal: { orgId }, params: { id }, query, url }) {
    if (!(await findWebhook(db, orgId, id))) throw notFound();
    const { job, status_code: statusCode, created_after: createdAfter, created_before: createdBefore, ...more } = query;
    const jobKey = job === undefined ? undefined : await findJobKey(db, orgId, job);
    if (jobKey === null) return pageAnswer(url, NO_ROWS, toDeliveryView);
    const filter = { ...more, jobKey, statusCode, createdAfter, createdBefore };
    return pageAnswer(url, await listDeliveryRows(db, orgId, { webhookId: id }, filter), toDeliveryView);
  },
});

/** The deliveries of a job's events to its callback URL, newest first. */
export const listCallbacks = defineEndpoint({
  method: 'get',
  path: '/jobs/:id/callbacks',
  summary: 'List the deliveries to the callback URL of a job',
  auth: 'jobs:read',
  needs: ['db'],
  params: { id: NAME_PATTERN },
  query: pageQuery(UUID_PATTERN),
  responses: { 200: page('A page of deliveries', deliveryView) },
  async handle({ deps: { db }, principal: { orgId }, params: { id }, query, url }) {
    const jobKey = await findJobKey(db, orgId, id);
    if (jobKey === null) throw notFound();
    return pageAnswer(url, await listDeliveryRows(db, orgId, { jobKey }, query), toDeliveryView);
  },
});

/** A delivery with its body and its attempts. */
export const getDelivery = defineEndpoint({
  method: 'get',
  path: '/org/webhooks/:id/deliveries/:delivery',
  summary: 'Read a delivery',
  right: 'webhooks',
  needs: ['db'],
  responses: { 200: json('The delivery, with its body and its attempts.', deliveryDetailView) },
  async handle({ deps: { db }, principal: { orgId }, params: { id, delivery } }) {
    const row = await findDelivery(db, orgId, id, delivery);
    if (!row) throw notFound();
    return { status: 200, body: toDeliveryDetailView(row) };
  },
});

/** One more attempt of a delivery, at once. */
export const redeliver = defineEndpoint({
  method: 'post',
  path: '/org/webhooks/:id/deliveries/:delivery/redeliver',
  summary: 'Deliver an event again',
  right: 'webhooks',
  needs: ['db'],
  limits: { caller: 'manage', stores: true },
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
