import { AUDIT_ACTIONS, type AuditAction } from '@jobline/contracts';
import { listAudit as listAuditRows } from '@jobline/db';
import Joi from 'joi';
import { instant, uuid } from '../../http/fields.js';
import type { PageQuery } from '../../http/paging.js';
import { auditEntryView, toAuditEntryView } from '../../views/audit-view.js';
import { defineListEndpoint } from '../row-endpoints.js';

interface Query extends PageQuery {
  action?: AuditAction;
  actor_id?: string;
  created_after?: Date;
  created_before?: Date;
}

/** The changes of the organization's people, keys and settings, and who made them; newest first. */
export const listAudit = defineListEndpoint({
  path: '/org/audit',
  summary: 'Read the audit log',
  right: 'audit',
  description: 'A page of audit log entries',
  view: auditEntryView,
  filters: {
    action: Joi.valid(...AUDIT_ACTIONS),
    actor_id: uuid(),
    created_after: instant().description('Entries at or after this time.'),
    created_before: instant().description('Entries before this time.'),
  },
  rows(db, orgId, { actor_id: actorId, created_after: createdAfter, created_before: createdBefore, ...query }: Query) {
    return listAuditRows(db, orgId, { ...query, actorId, createdAfter, createdBefore });
  },
  toView: toAuditEntryView,
});
