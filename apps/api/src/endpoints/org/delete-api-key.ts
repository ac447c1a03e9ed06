import { deleteApiKey as deleteApiKeyRow } from '@jobline/db';
import { defineEndpoint } from '../../endpoint.js';
import { notFound } from '../../http/refusals.js';
import { empty } from '../../http/replies.js';
import { UUID_PATTERN } from '../fields.js';

/** Revokes an API key: at once in this process, within five seconds in others. */
export const deleteApiKey = defineEndpoint({
  method: 'delete',
  path: '/org/api-keys/:id',
  summary: 'Revoke an API key',
  auth: 'bearer',
  right: 'api_keys',
  params: { id: UUID_PATTERN },
  responses: { 204: empty('The key is revoked.') },
  async handle({ deps, principal, params }) {
    const hash = await deleteApiKeyRow(deps.db, principal.orgId, params.id);
    if (!hash) throw notFound();
    deps.credentials.forgetApiKey(hash);
    return { status: 204 };
  },
});
