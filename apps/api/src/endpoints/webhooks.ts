import { AppError, EVENT_LIMITS, EVENT_PATTERNS, type OrgId, QUOTAS, TEST_EVENT } from '@jobline/contracts';
import {
  addWebhookSecret,
  changeTeam,
  countWebhooks,
  createWebhook as createWebhookRow,
  type DbSession,
  deleteDeliveries,
  failPending,
  findWebhook,
  listWebhooks as listWebhookRows,
  readNowMs,
  recordAudit,
  repeatSince,
  replaceSecret,
  updateWebhook,
  type WebhookRow,
  writeTestEvent,
} from '@jobline/db';
import { instant, receiverUrl } from '@jobline/engine';
import { listOf } from '@jobline/handlers';
import { newId } from '@jobline/runtime';
import Joi from 'joi';
import { newWebhookSecret } from '../auth/secrets.js';
import type { Deps } from '../deps.js';
import { type Call, defineEndpoint } from '../endpoint.js';
import { notFound, quotaReached } from '../http/errors.js';
import { name, uuid } from '../http/fields.js';
import { json } from '../http/response-specs.js';
import { count, mapTo, timestamp, type ViewOf, view } from '../http/view.js';
import { findCreated } from './find-created.js';
import { defineListEndpoint, defineReadEndpoint, defineRemovalEndpoint } from './row-endpoints.js';
import { SECRET_OVERLAP_MS, webhookSecretView } from './webhook-secret.js';

const shown = {
  id: uuid(),
  url: Joi.string(),
  events: Joi.array().items(Joi.valid(...EVENT_PATTERNS)),
  description: Joi.string().allow(null),
  enabled: Joi.boolean().description('False: nothing is sent to it.'),
  created_at: timestamp(),
};

const newWebhookView = view<Pick<ViewOf<WebhookRow>, keyof typeof shown> & { secret?: string }>('NewWebhook', {
  ...shown,
  secret: Joi.string().description('Signs its events. Absent if the request is repeated.').optional(),
});

const webhookView = view<ViewOf<WebhookRow>>('Webhook', {
  ...shown,
  failing_since: timestamp()
    .allow(null)
    .description('Since when every attempt has failed; null: the latest succeeded, or there was none.'),
  last_success_at: timestamp().allow(null).description('When an attempt last succeeded; null: never.'),
  failures: count().description('How many attempts in a row have failed.'),
});

const toNewWebhookView = mapTo(newWebhookView);
const toWebhookView = mapTo(webhookView);

interface WebhookBody {
  url: string;
  events: string[];
  description?: string | null;
}

const webhookFields = {
  url: receiverUrl().max(EVENT_LIMITS.urlLength),
  events: listOf(EVENT_PATTERNS.length, Joi.valid(...EVENT_PATTERNS))
    .unique()
    .min(1)
    .description('Names of events, `<group>.*` for all events of a group, or `*` for all.'),
  description: name().allow(null),
};

/** Has events of the organization sent to an address. */
export const createWebhook = defineEndpoint({
  method: 'post',
  path: '/org/webhooks',
  summary: 'Have events sent to an address',
  right: 'webhooks',
  needs: ['cipher', 'db'],
  idempotent: true,
  body: Joi.object<WebhookBody>({
    ...webhookFields,
    url: webhookFields.url.required(),
    events: webhookFields.events.required(),
  }),
  responses: {
    201: json('The webhook, with the secret that signs its events. The secret is shown once.', newWebhookView, [
      'Idempotent-Replayed?',
    ]),
  },
  errors: ['conflict', 'idempotency_key_reused'],
  async handle(call) {
    const { row, secret } = await create(call);
    const body = toNewWebhookView({ ...row, secret });
    return { status: 201, body, headers: secret === undefined ? { 'Idempotent-Replayed': 'true' } : undefined };
  },
});

type CreateCall = Call<'/org/webhooks', 'bearer', WebhookBody, undefined, Deps<'cipher' | 'db'>>;

/** There is no `secret` if an earlier request has created the webhook. */
function create({ deps, principal: { orgId }, origin, body, idempotencyKey }: CreateCall): Promise<{
  row: WebhookRow;
  secret?: string;
}> {
  const { url, events, description = null } = body;
  const id = newId();
  const creation = { endpoint: '/org/webhooks', content: { url, events, description }, idempotencyKey, id };
  return changeTeam(deps.db, orgId, async (tx) => {
    const used = await findCreated(tx, orgId, creation, findWebhook);
    if (used) return { row: used };
    if ((await countWebhooks(tx, orgId)) >= QUOTAS.webhooks) throw quotaReached('webhooks');
    const row = await createWebhookRow(tx, orgId, {
      id,
      url,
      events,
      description,
      enabled: true,
      createdAt: new Date(await readNowMs(tx)),
    });
    const secret = newWebhookSecret();
    await addWebhookSecret(tx, orgId, { secret, cipher: deps.cipher, webhookId: id });
    await recordAudit(tx, orgId, { ...origin, action: 'webhook.created', target: { id, name: url } });
    return { row, secret };
  });
}

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

export const getWebhook = defineReadEndpoint({
  path: '/org/webhooks/:id',
  summary: 'Read a webhook',
  right: 'webhooks',
  description: 'The webhook.',
  view: webhookView,
  find: findWebhook,
  toView: toWebhookView,
});

type Changes = Partial<Omit<WebhookBody, 'description'>> & { description?: string | null; enabled?: boolean };

/** Changes a webhook, disables it or enables it. */
export const changeWebhook = defineEndpoint({
  method: 'patch',
  path: '/org/webhooks/:id',
  summary: 'Change, disable or enable a webhook',
  right: 'webhooks',
  needs: ['db'],
  body: Joi.object<Changes>({
    ...webhookFields,
    enabled: Joi.boolean().description('False: its pending deliveries fail. They can be recovered later.'),
  }).min(1),
  takesTurns: true,
  responses: { 200: json('The webhook.', webhookView) },
  async handle({ deps, principal: { orgId }, origin, params: { id }, body }) {
    const row = await changeTeam(deps.db, orgId, async (tx) => {
      const changed = await updateWebhook(tx, orgId, id, body);
      if (!changed) throw notFound();
      await recordAudit(tx, orgId, { ...origin, action: 'webhook.changed', target: { id, name: changed.url } });
      return changed;
    });
    if (body.enabled === false) await failPending(deps.db, id);
    return { status: 200, body: toWebhookView(row) };
  },
});

export const deleteWebhook = defineRemovalEndpoint({
  path: '/org/webhooks/:id',
  summary: 'Delete a webhook',
  right: 'webhooks',
  description: 'The webhook is deleted, with its deliveries.',
  action: 'webhook.deleted',
  removeParts: deleteDeliveries,
  table: 'webhooks',
});

/** Replaces the secret of a webhook by a new one. */
export const rotateSecret = defineEndpoint({
  method: 'post',
  path: '/org/webhooks/:id/rotate',
  summary: 'Rotate the secret of a webhook',
  right: 'webhooks',
  needs: ['cipher', 'db'],
  responses: { 200: json('The new secret. The old one signs too for 24 hours.', webhookSecretView) },
  async handle({ deps: { db, cipher }, principal: { orgId }, origin, params: { id } }) {
    const secret = newWebhookSecret();
    await changeTeam(db, orgId, async (tx) => {
      const row = await findWebhook(tx, orgId, id);
      if (!row) throw notFound();
      await replaceSecret(tx, orgId, { secret, overlapMs: SECRET_OVERLAP_MS, cipher, webhookId: id });
      await recordAudit(tx, orgId, { ...origin, action: 'webhook.rotated', target: { id, name: row.url } });
    });
    return { status: 200, body: { secret } };
  },
});

/** Sends a test event to a webhook, whatever events it has chosen. */
export const testWebhook = defineEndpoint({
  method: 'post',
  path: '/org/webhooks/:id/test',
  summary: 'Send a test event to a webhook',
  right: 'webhooks',
  needs: ['db'],
  limits: { caller: 'manage', stores: true },
  responses: { 202: json('The webhook, to which `test.ping` will be sent.', webhookView) },
  errors: ['conflict'],
  async handle({ deps: { db }, principal: { orgId }, params: { id } }) {
    const row = await enabledWebhook(db, orgId, id);
    await writeTestEvent(db, orgId, id, TEST_EVENT);
    return { status: 202, body: toWebhookView(row) };
  },
});

/** Sends everything again that could not be delivered to a webhook since a time, or that was delivered, too. */
export const recoverWebhook = defineEndpoint({
  method: 'post',
  path: '/org/webhooks/:id/recover',
  summary: 'Deliver again what has failed, or everything, since a time',
  right: 'webhooks',
  needs: ['db'],
  limits: { caller: 'manage', stores: true },
  body: Joi.object<{ since: Date; delivered: boolean }>({
    since: instant().required().description('Deliveries that were created at or after this time.'),
    delivered: Joi.boolean().default(false).description('True: also those that were delivered.'),
  }),
  takesTurns: true,
  responses: { 202: json('The webhook. Each of these deliveries gets one more attempt, at once.', webhookView) },
  errors: ['conflict'],
  async handle({ deps: { db }, principal: { orgId }, params: { id }, body }) {
    const row = await enabledWebhook(db, orgId, id);
    await repeatSince(db, orgId, id, body);
    return { status: 202, body: toWebhookView(row) };
  },
});

/** The webhook, to which something will be sent. Throws if it is disabled, or if the organization has none of the id. */
export async function enabledWebhook(db: DbSession, orgId: OrgId, id: string): Promise<WebhookRow> {
  const row = await findWebhook(db, orgId, id);
  if (!row) throw notFound();
  if (!row.enabled)
    throw new AppError('conflict', 'The webhook is disabled, so nothing is sent to it. Enable it first.');
  return row;
}
