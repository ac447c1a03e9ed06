import { listApiKeys as listApiKeyRows } from '@jobline/db';
import { uuid } from '../../http/fields.js';
import type { PageQuery } from '../../http/paging.js';
import { apiKeyView, toApiKeyView } from '../../views/api-key-view.js';
import { defineListEndpoint } from '../row-endpoints.js';

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
