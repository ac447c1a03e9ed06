import { AppError, KEY_LIMITS } from '@jobline/contracts';
import { addWithinQuota, createApiKey, lockApiKey, recordAudit, replaceApiKey } from '@jobline/db';
import Joi from 'joi';
import { makeApiKey } from '../../auth/api-key.js';
import { defineEndpoint } from '../../endpoint.js';
import { notFound, quotaReached } from '../../http/errors.js';
import { UUID_PATTERN } from '../../http/fields.js';
import { json } from '../../http/response-specs.js';
import { newApiKeyView, toNewApiKeyView } from '../../views/api-key-view.js';

/** Replaces an API key with a new one. The old key continues to work for some hours, unless it expires before. */
export const rotateApiKey = defineEndpoint({
  method: 'post',
  path: '/org/api-keys/:id/rotate',
  summary: 'Replace an API key',
  auth: 'bearer',
  right: 'api_keys',
  needs: ['credentials', 'db'],
  limits: { caller: 'manage' },
  params: { id: UUID_PATTERN },
  body: Joi.object<{ overlap_hours: number }>({
    overlap_hours: Joi.number()
      .integer()
      .min(0)
      .max(KEY_LIMITS.overlapHours)
      .default(KEY_LIMITS.usualOverlapHours)
      .description('For how long the old key continues to work.'),
  }),
  isBodyOptional: true,
  responses: { 201: json('The new key, with the same name, scopes, types and expiry.', newApiKeyView) },
  errors: ['conflict'],
  async handle({ deps, principal, origin, params, body: { overlap_hours: overlapHours } }) {
    const { orgId, userId } = principal;
    const { key, prefix, hash } = makeApiKey();
    const rotated = await addWithinQuota(deps.db, orgId, 'api_keys', async (tx) => {
      const old = await lockApiKey(tx, orgId, params.id);
      if (!old) throw notFound();
      if (old.isExpired) throw new AppError('conflict', 'This key has expired. Create a new one.');
      if (old.replacedBy)
        throw new AppError('conflict', 'This key was rotated before. Rotate the key that replaced it.');
      const { name, scopes, types, expiresAt } = old;
      const row = await createApiKey(tx, orgId, { name, prefix, hash, scopes, types, expiresAt, createdBy: userId });
      const oldHash = await replaceApiKey(tx, old.id, { by: row.id, overlapHours });
      const fact = { action: 'api_key.rotated', target: old, details: { prefix } } as const;
      await recordAudit(tx, orgId, { ...origin, ...fact });
      return { row, oldHash };
    });
    if (rotated === 'full') throw quotaReached('api_keys');
    deps.credentials.forgetApiKey(rotated.oldHash);
    return { status: 201, body: toNewApiKeyView(rotated.row, key) };
  },
});
