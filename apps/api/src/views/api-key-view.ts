import { SCOPES } from '@jobline/contracts';
import type { ApiKeyRow } from '@jobline/db';
import Joi from 'joi';
import { uuid } from '../http/fields.js';
import { timestamp, view } from './view.js';

type ApiKeyView = ReturnType<typeof toApiKeyView>;
type NewApiKeyView = ReturnType<typeof toNewApiKeyView>;

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

export const apiKeyView = view<ApiKeyView>('ApiKey', {
  ...common,
  created_by: uuid().allow(null).description("The user's id; null if the account was deleted."),
  last_used_at: timestamp().allow(null),
  replaced_by: uuid().allow(null).description('The id of the key that a rotation has put in its place; null: none.'),
});

export const newApiKeyView = view<NewApiKeyView>('NewApiKey', {
  ...common,
  key: Joi.string().description('The key itself, shown only in this response.'),
});

export function toApiKeyView(row: ApiKeyRow) {
  return {
    ...toCommonView(row),
    created_by: row.createdBy,
    last_used_at: row.lastUsedAt?.toISOString() ?? null,
    replaced_by: row.replacedBy,
  };
}

export function toNewApiKeyView(row: ApiKeyRow, key: string) {
  return { ...toCommonView(row), key };
}

function toCommonView({ id, name, prefix, scopes, types, expiresAt, createdAt }: ApiKeyRow) {
  return {
    id,
    name,
    prefix,
    scopes,
    types,
    expires_at: expiresAt?.toISOString() ?? null,
    created_at: createdAt.toISOString(),
  };
}
