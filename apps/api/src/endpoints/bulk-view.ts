import { type AuditAction, BULK_ACTIONS, BULK_STATUSES } from '@jobline/contracts';
import type { AuditFact, BulkRow } from '@jobline/db';
import Joi from 'joi';
import type { Principal } from '../auth/authorize.js';
import { uuid } from '../http/fields.js';
import { count, mapTo, timestamp, type ViewOf, view } from '../http/view.js';

/** `created_by` or `api_key`: who started it, if that is known. */
type BulkActionView = Omit<ViewOf<BulkRow>, 'events' | 'created_by' | 'api_key'> & {
  events?: false;
  created_by?: string;
  api_key?: string;
};

export const bulkView = view<BulkActionView>('BulkAction', {
  id: uuid(),
  action: Joi.valid(...BULK_ACTIONS),
  filter: Joi.object().description('As it was requested.'),
  status: Joi.valid(...BULK_STATUSES),
  total: count().description('How many jobs matched when the action was accepted. Only these are touched.'),
  done: count(),
  skipped: count().description('Jobs whose state does not allow the action, or no longer does.'),
  failed: count().description('Jobs for which an error occurred.'),
  events: Joi.valid(false).description('Present if the ends of its jobs are reported to no webhook.').optional(),
  created_by: uuid().description('Only with `include`: the id of the user who started it.').optional(),
  api_key: uuid().description('Only with `include`: the id of the API key that started it.').optional(),
  created_at: timestamp(),
  finished_at: timestamp().allow(null),
});

const toView = mapTo(bulkView);

export const toBulkView = (row: BulkRow) => toStartedBulkView(withoutStarter(row));

export const withoutStarter = (row: BulkRow): BulkRow => ({ ...row, createdBy: null, apiKey: null });

/** With who started it. */
export function toStartedBulkView(row: BulkRow) {
  return toView({
    ...row,
    events: row.events ? undefined : false,
    createdBy: row.createdBy ?? undefined,
    apiKey: row.apiKey ?? undefined,
  });
}

/** Of each field of a filter, the audit log has so many characters. */
const AUDITED = 200;

/** What the audit log has about a bulk action. An API key is no actor, so its id is among the details. */
export function factOf(
  action: AuditAction,
  principal: Principal,
  { id, action: name, filter, total }: BulkRow,
): Pick<AuditFact, 'action' | 'target' | 'details'> {
  const fields = Object.entries(filter).map(([field, value]) => {
    const text = Array.isArray(value) ? (field === 'ids' ? value.length : value.join(', ')) : value;
    return [field, String(text).slice(0, AUDITED)] as const;
  });
  const byKey = principal.kind === 'key' && { api_key: principal.keyId };
  return { action, target: { id, name }, details: { ...Object.fromEntries(fields), jobs: String(total), ...byKey } };
}
