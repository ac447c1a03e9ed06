import { deleteApiKey as deleteApiKeyRow, recordAudit } from '@jobline/db';
import { defineEndpoint } from '../../endpoint.js';
import { notFound } from '../../http/errors.js';
import { UUID_PATTERN } from '../../http/fields.js';
import { empty } from '../../http/response-specs.js';

/** Revokes an API key: immediately in this process, within five seconds in others. */
export const deleteApiKey = defineEndpoint({
  method: 'delete',
  path: '/org/api-keys/:id',
  summary: 'Revoke an API key',
  auth: 'bearer',
  right: 'api_keys',
  needs: ['credentials', 'db'],
  limits: { caller: 'manage' },
  params: { id: UUID_PATTERN },
  responses: { 204: empty('The key is revoked.') },
  async handle({ deps, principal, origin, params }) {
    const hash = await deps.db.$transaction(async (tx) => {
      const key = await deleteApiKeyRow(tx, principal.orgId, params.id);
      if (!key) throw notFound();
      const target = { id: params.id, name: key.name };
      await recordAudit(tx, principal.orgId, { ...origin, action: 'api_key.revoked', target });
      return key.hash;
    });
    deps.credentials.forgetApiKey(hash);
    return { status: 204 };
  },
});
