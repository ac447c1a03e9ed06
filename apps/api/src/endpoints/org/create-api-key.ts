import { DEFAULT_SCOPES, KEY_LIMITS, SCOPES, type Scope } from '@jobline/contracts';
import { addWithinQuota, createApiKey as createApiKeyRow, recordAudit } from '@jobline/db';
import Joi, { type ObjectSchema } from 'joi';
import { makeApiKey } from '../../auth/api-key.js';
import { defineEndpoint } from '../../endpoint.js';
import { quotaReached } from '../../http/errors.js';
import { name, oneOf } from '../../http/fields.js';
import { listOf } from '../../http/list-of.js';
import { json } from '../../http/response-specs.js';
import { newApiKeyView, toNewApiKeyView } from '../../views/api-key-view.js';
import { aYearAhead, jobType } from '../jobs/submission.js';

interface Body {
  name: string;
  scopes: Scope[];
  types: string[] | null;
  expires_at: Date | null;
}

const newKey: ObjectSchema<Body> = Joi.object({
  name: name().required(),
  scopes: listOf(SCOPES.length, oneOf(SCOPES))
    .min(1)
    .unique()
    .default([...DEFAULT_SCOPES])
    .description('What the key may do.'),
  types: listOf(KEY_LIMITS.types, jobType())
    .unique()
    .allow(null)
    .default(null)
    .description('The job types that the key may submit and see. Null: all. An empty list: none.'),
  expires_at: aYearAhead()
    .custom((at: Date | string, { message }) =>
      at instanceof Date && at.getTime() <= Date.now() ? message({ custom: '{{#label}} must be in the future' }) : at,
    )
    .allow(null)
    .default(null)
    .description('From then on the key is rejected. At most a year ahead. Null: it does not expire.'),
});

/** Creates an API key. Only this response shows it. */
export const createApiKey = defineEndpoint({
  method: 'post',
  path: '/org/api-keys',
  summary: 'Create an API key',
  auth: 'bearer',
  right: 'api_keys',
  needs: ['db'],
  limits: { caller: 'manage' },
  body: newKey,
  responses: { 201: json('The key.', newApiKeyView) },
  errors: ['conflict'],
  async handle({ deps, principal, origin, body }) {
    const { key, prefix, hash } = makeApiKey();
    const { scopes, expires_at: expiresAt } = body;
    const types = body.types && [...body.types].sort();
    const made = { name: body.name, prefix, hash, scopes, types, expiresAt, createdBy: principal.userId };
    const row = await addWithinQuota(deps.db, principal.orgId, 'api_keys', async (tx) => {
      const key = await createApiKeyRow(tx, principal.orgId, made);
      const fact = { action: 'api_key.created', target: key, details: { prefix } } as const;
      await recordAudit(tx, principal.orgId, { ...origin, ...fact });
      return key;
    });
    if (row === 'full') throw quotaReached('api_keys');
    return { status: 201, body: toNewApiKeyView(row, key) };
  },
});
