import { AppError, DEFAULT_SCOPES, KEY_LIMITS, SCOPES, type Scope } from '@jobline/contracts';
import {
  type ApiKeyRow,
  addWithinQuota,
  createApiKey as createApiKeyRow,
  deleteApiKey as deleteApiKeyRow,
  listApiKeys as listApiKeyRows,
  lockApiKey,
  recordAudit,
  replaceApiKey,
  updateApiKey,
} from '@jobline/db';
import { aYearAhead, jobType } from '@jobline/engine';
import { listOf } from '@jobline/handlers';
import Joi, { type ObjectSchema } from 'joi';
import { makeApiKey } from '../auth/api-key.js';
import { defineEndpoint } from '../endpoint.js';
import { notFound, quotaReached } from '../http/errors.js';
import { name, oneOf, uuid } from '../http/fields.js';
import type { PageQuery } from '../http/paging.js';
import { empty, json } from '../http/response-specs.js';
import { mapTo, timestamp, type ViewOf, view } from '../http/view.js';
import { defineListEndpoint } from './row-endpoints.js';

const common = {
  id: uuid(),
  name: Joi.string(),
  prefix: Joi.string().description('The first characters of the key, by which people recognize it.'),
  scopes: Joi.array().items(Joi.valid(...SCOPES)),
  types: Joi.array()
    .items(Joi.string())
    .allow(null)
    .description('The job types that it may submit and see; null: all.'),
  expires_at: timestamp().allow(null).description('From then on it is rejected; null: it does not expire.'),
  created_at: timestamp(),
};

const apiKeyView = view<ViewOf<ApiKeyRow>>('ApiKey', {
  ...common,
  created_by: uuid().allow(null).description("The user's id; null if the account was deleted."),
  last_used_at: timestamp().allow(null),
  replaced_by: uuid().allow(null).description('The id of the key that a rotation has put in its place; null: none.'),
});

const newApiKeyView = view<Pick<ViewOf<ApiKeyRow>, keyof typeof common> & { key: string }>('NewApiKey', {
  ...common,
  key: Joi.string().description('The key itself, shown only in this response.'),
});

const toApiKeyView = mapTo(apiKeyView);
const toNewApiKeyView = mapTo(newApiKeyView);

interface Body {
  name: string;
  scopes: Scope[];
  types: string[] | null;
  expires_at: Date | null;
}

const keyFields = {
  name: name(),
  scopes: listOf(SCOPES.length, oneOf(SCOPES)).min(1).unique().description('What the key may do.'),
  types: listOf(KEY_LIMITS.types, jobType())
    .unique()
    .allow(null)
    .description('The job types that the key may submit and see. Null: all. An empty list: none.'),
  expires_at: aYearAhead()
    .custom((at: Date | string, { message }) =>
      at instanceof Date && at.getTime() <= Date.now() ? message({ custom: '{{#label}} must be in the future' }) : at,
    )
    .allow(null)
    .description('From then on the key is rejected. At most a year ahead. Null: it does not expire.'),
};

const newKey: ObjectSchema<Body> = Joi.object({
  name: keyFields.name.required(),
  scopes: keyFields.scopes.default([...DEFAULT_SCOPES]),
  types: keyFields.types.default(null),
  expires_at: keyFields.expires_at.default(null),
});

/** Creates an API key. Only this response shows it. */
export const createApiKey = defineEndpoint({
  method: 'post',
  path: '/org/api-keys',
  summary: 'Create an API key',
  right: 'api_keys',
  needs: ['db'],
  body: newKey,
  responses: { 201: json('The key.', newApiKeyView) },
  errors: ['conflict'],
  async handle({ deps, principal, origin, body }) {
    const { key, prefix, hash } = makeApiKey();
    const { scopes, expires_at: expiresAt } = body;
    const types = sorted(body.types);
    const made = { name: body.name, prefix, hash, scopes, types, expiresAt, createdBy: principal.userId };
    const row = await addWithinQuota(deps.db, principal.orgId, 'api_keys', async (tx) => {
      const key = await createApiKeyRow(tx, principal.orgId, made);
      const fact = { action: 'api_key.created', target: key, details: { prefix } } as const;
      await recordAudit(tx, principal.orgId, { ...origin, ...fact });
      return key;
    });
    if (row === 'full') throw quotaReached('api_keys');
    return { status: 201, body: toNewApiKeyView({ ...row, key }) };
  },
});

interface Filters {
  created_by?: string;
}

/**
 * The organization's API keys by their first characters, newest first: all keys, or those of one creator, who may have
 * been removed since.
 */
export const listApiKeys = defineListEndpoint({
  path: '/org/api-keys',
  summary: 'List API keys',
  right: 'api_keys',
  description: 'A page of keys',
  view: apiKeyView,
  filters: { created_by: uuid() },
  rows: (db, orgId, { created_by: createdBy, ...query }: Filters & PageQuery) =>
    listApiKeyRows(db, orgId, { ...query, createdBy }),
  toView: toApiKeyView,
});

/** Changes an API key: immediately in this process, within five seconds in others. */
export const changeApiKey = defineEndpoint({
  method: 'patch',
  path: '/org/api-keys/:id',
  summary: 'Change an API key',
  right: 'api_keys',
  needs: ['credentials', 'db'],
  body: Joi.object<Partial<Body>>(keyFields).min(1),
  responses: { 200: json('The key.', apiKeyView) },
  errors: ['conflict'],
  async handle({ deps, principal: { orgId }, origin, params, body }) {
    const { row, hash } = await deps.db.$transaction(async (tx) => {
      const old = await lockApiKey(tx, orgId, params.id);
      if (!old) throw notFound();
      if (old.isExpired) throw new AppError('conflict', 'This key has expired. Create a new one.');
      const { name, scopes, types, expires_at: expiresAt } = body;
      const changed = await updateApiKey(tx, old.id, {
        name: name ?? old.name,
        scopes: scopes ?? old.scopes,
        types: types === undefined ? old.types : sorted(types),
        expiresAt: expiresAt === undefined ? old.expiresAt : expiresAt,
      });
      const fact = { action: 'api_key.changed', target: changed.row, details: { prefix: old.prefix } } as const;
      await recordAudit(tx, orgId, { ...origin, ...fact });
      return changed;
    });
    deps.credentials.forgetApiKey(hash);
    return { status: 200, body: toApiKeyView(row) };
  },
});

function sorted(types: string[] | null): string[] | null {
  return types && [...types].sort();
}

/** Replaces an API key with a new one. The old key continues to work for some hours, unless it expires before. */
export const rotateApiKey = defineEndpoint({
  method: 'post',
  path: '/org/api-keys/:id/rotate',
  summary: 'Replace an API key',
  right: 'api_keys',
  needs: ['credentials', 'db'],
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
      const row = await createApiKeyRow(tx, orgId, { name, prefix, hash, scopes, types, expiresAt, createdBy: userId });
      const oldHash = await replaceApiKey(tx, old.id, { by: row.id, overlapHours });
      const fact = { action: 'api_key.rotated', target: old, details: { prefix } } as const;
      await recordAudit(tx, orgId, { ...origin, ...fact });
      return { row, oldHash };
    });
    if (rotated === 'full') throw quotaReached('api_keys');
    deps.credentials.forgetApiKey(rotated.oldHash);
    return { status: 201, body: toNewApiKeyView({ ...rotated.row, key }) };
  },
});

/** Revokes an API key: immediately in this process, within five seconds in others. */
export const deleteApiKey = defineEndpoint({
  method: 'delete',
  path: '/org/api-keys/:id',
  summary: 'Revoke an API key',
  right: 'api_keys',
  needs: ['credentials', 'db'],
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
