import { addWithinQuota, createApiKey as createApiKeyRow, recordAudit } from '@jobline/db';
import { makeApiKey } from '../../auth/api-key.js';
import { defineEndpoint } from '../../endpoint.js';
import { fieldsOf, name } from '../../http/fields.js';
import { quotaReached } from '../../http/http-errors.js';
import { json } from '../../http/responses.js';
import { newApiKeyView } from '../../views/account-view.js';

/** Creates an API key. Only this response shows it. */
export const createApiKey = defineEndpoint({
  method: 'post',
  path: '/org/api-keys',
  summary: 'Create an API key',
  auth: 'bearer',
  right: 'api_keys',
  needs: ['db'],
  limits: { caller: 'manage' },
  body: fieldsOf({ name: name() }),
  responses: { 201: json('The key.', newApiKeyView) },
  errors: ['conflict'],
  async handle({ deps, principal, origin, body }) {
    const { key, prefix, hash } = makeApiKey();
    const made = { name: body.name, prefix, hash, createdBy: principal.userId };
    const row = await addWithinQuota(deps.db, principal.orgId, 'api_keys', async (tx) => {
      const key = await createApiKeyRow(tx, principal.orgId, made);
      const fact = { action: 'api_key.created', target: key, details: { prefix } } as const;
      await recordAudit(tx, principal.orgId, { ...origin, ...fact });
      return key;
    });
    if (row === 'full') throw quotaReached('api_keys');
    return { status: 201, body: { id: row.id, name: row.name, key, prefix, created_at: row.createdAt.toISOString() } };
  },
});
