import { AUDIT_ACTIONS, type AuditAction } from '@jobline/contracts';
import { listAudit as listAuditRows } from '@jobline/db';
import Joi from 'joi';
import { defineEndpoint } from '../../endpoint.js';
import { instant, UUID_PATTERN, uuid } from '../../http/fields.js';
import { encodeTimeCursor, limit, nextPage, type TimeCursor, timeCursor } from '../../http/paging.js';
import { page } from '../../http/responses.js';
import { auditEntryView, toAuditEntryView } from '../../views/audit-view.js';

interface Query {
  action?: AuditAction;
  actor_id?: string;
  created_after?: Date;
  created_before?: Date;
  limit: number;
  cursor?: TimeCursor;
}

/** Who did what to the organization's people, keys and settings, newest first. */
export const listAudit = defineEndpoint({
  method: 'get',
  path: '/org/audit',
  summary: 'Read the audit log',
  auth: 'bearer',
  right: 'audit',
  query: Joi.object<Query>({
    action: Joi.valid(...AUDIT_ACTIONS),
    actor_id: uuid(),
    created_after: instant().description('From this moment on, itself included.'),
    created_before: instant().description('Up to this moment, itself excluded.'),
    limit: limit(),
    cursor: timeCursor(UUID_PATTERN),
  }),
  responses: { 200: page('A page of what was done', auditEntryView) },
  async handle({ deps, principal, query, url }) {
    const { action, actor_id: actorId, created_after: createdAfter, created_before: createdBefore } = query;
    const filter = { action, actorId, createdAfter, createdBefore, limit: query.limit, cursor: query.cursor };
    const { items, next } = await listAuditRows(deps.db, principal.orgId, filter);
    return { status: 200, body: items.map(toAuditEntryView), headers: nextPage(url, next && encodeTimeCursor(next)) };
  },
});
