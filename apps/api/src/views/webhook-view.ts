import {
  DELIVERY_STATUSES,
  type DeliveryDetailView,
  type DeliveryTryView,
  type DeliveryView,
  EVENT_PATTERNS,
  type WebhookView,
} from '@jobline/contracts';
import type { DeliveryDetailRow, DeliveryRow, WebhookRow } from '@jobline/db';
import { bodyOf } from '@jobline/messaging';
import Joi from 'joi';
import { uuid } from '../http/fields.js';
import { count, text, timestamp, view } from './view.js';

export const webhookView = view<WebhookView>(
  'Webhook',
  {
    id: uuid(),
    url: Joi.string(),
    events: Joi.array().items(Joi.valid(...EVENT_PATTERNS)),
    description: Joi.string().allow(null),
    enabled: Joi.boolean().description('False: nothing is sent to it.'),
    secret: Joi.string().description('Signs its events. Only in the response that creates it.'),
    created_at: timestamp(),
  },
  { optional: ['secret'] },
);

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
};

export const deliveryView = view<DeliveryView>('Delivery', delivery);

export const deliveryDetailView = view<DeliveryDetailView>('DeliveryDetail', {
  ...delivery,
  body: Joi.object().unknown().description('What is sent: `{id, type, timestamp, data}`.'),
  tries: Joi.array().items(
    view<DeliveryTryView>('DeliveryTry', {
      at: timestamp(),
      status: httpStatus(),
      error: Joi.string().allow(null).description('Null: the receiver has accepted the event.'),
      answer: text().allow(null).description('The first 1,024 bytes of the answer; null: there was none.'),
      ms: count().description('Duration.'),
    }),
  ),
});

export function toWebhookView({ createdAt, ...row }: WebhookRow): WebhookView {
  return { ...row, created_at: createdAt.toISOString() };
}

export function toDeliveryView(row: DeliveryRow): DeliveryView {
  return {
    id: row.id,
    event: row.event,
    status: row.status,
    attempts: row.attempts,
    last_status: row.lastStatus,
    last_error: row.lastError,
    next_attempt_at: row.nextAttemptAt?.toISOString() ?? null,
    created_at: row.createdAt.toISOString(),
  };
}

export function toDeliveryDetailView({ sent, tries, ...row }: DeliveryDetailRow): DeliveryDetailView {
  return {
    ...toDeliveryView(row),
    // The cast: an event is an object.
    body: JSON.parse(bodyOf(sent)) as object,
    tries: tries.map(({ at, ...attempt }) => ({ ...attempt, at: at.toISOString() })),
  };
}
