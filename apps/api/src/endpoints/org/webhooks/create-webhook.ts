import { AppError, QUOTAS } from '@jobline/contracts';
import {
  addWebhookSecret,
  changeTeam,
  countWebhooks,
  createWebhook as createWebhookRow,
  type DbSession,
  findWebhook,
  readNowMs,
  recordAudit,
  useCreationKey,
  type WebhookRow,
} from '@jobline/db';
import { requestHash, sortKeys } from '@jobline/engine';
import { newId } from '@jobline/runtime';
import Joi from 'joi';
import { newWebhookSecret } from '../../../auth/secrets.js';
import type { Deps } from '../../../deps.js';
import { type Call, defineEndpoint } from '../../../endpoint.js';
import { notFound, quotaReached } from '../../../http/http-errors.js';
import { json } from '../../../http/responses.js';
import { toWebhookView, webhookView } from '../../../views/webhook-view.js';
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
function create(call: CreateCall): Promise<{ row: WebhookRow; secret: string | null }> {
  const { deps, principal, origin, body } = call;
  const { orgId } = principal;
  const id = newId();
  return changeTeam(deps.db, orgId, async (tx) => {
    const used = await useKey(tx, call, id);
    if (used) return { row: used, secret: null };
    if ((await countWebhooks(tx, orgId)) >= QUOTAS.webhooks) throw quotaReached('webhooks');
    const { url, events, description = null } = body;
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

/** Returns the webhook that an earlier request with the key has created, or null. */
async function useKey(tx: DbSession, call: CreateCall, id: string): Promise<WebhookRow | null> {
  const { principal, body, idempotencyKey } = call;
  if (idempotencyKey === undefined) return null;
  const contentHash = requestHash('/org/webhooks', sortKeys({ ...body, description: body.description ?? null }));
  const used = await useCreationKey(tx, principal.orgId, { key: idempotencyKey, contentHash }, { id });
  if (!used) return null;
  if (!used.isSame) {
    throw new AppError('idempotency_key_reused', 'This Idempotency-Key was used for a different request.');
  }
  // The cast: answers to this endpoint are made above, and the hash contains the endpoint.
  const row = await findWebhook(tx, principal.orgId, (used.answer as { id: string }).id);
  if (!row) throw notFound();
  return row;
}
