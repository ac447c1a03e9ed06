import { changeTeam, failPending, recordAudit, updateWebhook } from '@jobline/db';
import Joi from 'joi';
import { defineEndpoint } from '../../../endpoint.js';
import { notFound } from '../../../http/errors.js';
import { UUID_PATTERN } from '../../../http/fields.js';
import { json } from '../../../http/response-specs.js';
import { toWebhookView, webhookView } from '../../../views/webhook-view.js';
import { type WebhookBody, webhookFields } from './webhook-body.js';

type Changes = Partial<Omit<WebhookBody, 'description'>> & { description?: string | null; enabled?: boolean };

/** Changes a webhook, disables it or enables it. */
export const changeWebhook = defineEndpoint({
  method: 'patch',
  path: '/org/webhooks/:id',
  summary: 'Change, disable or enable a webhook',
  auth: 'bearer',
  right: 'webhooks',
  needs: ['db'],
  limits: { caller: 'manage' },
  params: { id: UUID_PATTERN },
  body: Joi.object<Changes>({
    ...webhookFields,
    enabled: Joi.boolean().description('False: its pending deliveries fail. They can be recovered later.'),
  }).min(1),
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
