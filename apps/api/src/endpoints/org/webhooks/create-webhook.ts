import { QUOTAS } from '@jobline/contracts';
import {
  addWebhookSecret,
  changeTeam,
  countWebhooks,
  createWebhook as createWebhookRow,
  findWebhook,
  readNowMs,
  recordAudit,
  type WebhookRow,
} from '@jobline/db';
import { newId } from '@jobline/runtime';
import Joi from 'joi';
import { newWebhookSecret } from '../../../auth/secrets.js';
import type { Deps } from '../../../deps.js';
import { type Call, defineEndpoint } from '../../../endpoint.js';
import { quotaReached } from '../../../http/errors.js';
import { json } from '../../../http/response-specs.js';
import { toWebhookView, webhookView } from '../../../views/webhook-view.js';
import { findCreated } from '../../find-created.js';
import { type WebhookBody, webhookFields } from './webhook-body.js';

/** Has events of the organization sent to an address. */
export const createWebhook = defineEndpoint({
  method: 'post',
  path: '/org/webhooks',
  summary: 'Have events sent to an address',
  auth: 'bearer',
  right: 'webhooks',
  needs: ['cipher', 'db'],
  idempotent: true,
  limits: { caller: 'manage' },
  body: Joi.object<WebhookBody>({
    ...webhookFields,
    url: webhookFields.url.required(),
    events: webhookFields.events.required(),
  }),
  responses: {
    201: json('The webhook, with the secret that signs its events. The secret is shown once.', webhookView, [
      'Idempotent-Replayed?',
    ]),
  },
  errors: ['conflict', 'idempotency_key_reused'],
  async handle(call) {
    const { row, secret } = await create(call);
    if (secret === null) return { status: 201, body: toWebhookView(row), headers: { 'Idempotent-Replayed': 'true' } };
    return { status: 201, body: { ...toWebhookView(row), secret } };
  },
});

type CreateCall = Call<'/org/webhooks', 'bearer', WebhookBody, undefined, Deps<'cipher' | 'db'>>;

/** `secret` is null if an earlier request has created the webhook. */
function create({ deps, principal: { orgId }, origin, body, idempotencyKey }: CreateCall): Promise<{
  row: WebhookRow;
  secret: string | null;
}> {
  const { url, events, description = null } = body;
  const id = newId();
  const creation = { endpoint: '/org/webhooks', content: { url, events, description }, idempotencyKey, id };
  return changeTeam(deps.db, orgId, async (tx) => {
    const used = await findCreated(tx, orgId, creation, findWebhook);
    if (used) return { row: used, secret: null };
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
