import { AUDIT_ACTIONS, type AuditAction } from '@jobline/contracts';
import { type AuditRow, type AuditTarget, listAudit as listAuditRows } from '@jobline/db';
import { instant } from '@jobline/engine';
import Joi from 'joi';
import { uuid } from '../http/fields.js';
import type { PageQuery } from '../http/paging.js';
import { mapTo, timestamp, type ViewOf, view } from '../http/view.js';
import { defineListEndpoint } from './row-endpoints.js';

interface Actor {
  id: string;
  email: string;
}

type AuditEntryView = ViewOf<Omit<AuditRow, 'actorId' | 'actorEmail' | 'targetId' | 'targetName'>> & {
  actor: Actor | null;
  target: AuditTarget | null;
};

const actor = view<Actor>('AuditActor', { id: uuid(), email: Joi.string() });
const target = view<AuditTarget>('AuditTarget', { id: uuid(), name: Joi.string() });

const auditEntryView = view<AuditEntryView>('AuditEntry', {
  id: uuid(),
  at: timestamp(),
  action: Joi.valid(...AUDIT_ACTIONS),
  actor: actor
    .allow(null)
    .description('Who did it, with their email address at that time; null: no user was signed in.'),
  target: target
    .allow(null)
    .description('What was changed, with its name at that time; for a failed login, the account.'),
  ip: Joi.string()
    .allow(null)
    .description('The IP address of the request; null if the user sent it in another organization.'),
  request_id: Joi.string()
    .allow(null)
    .description('The `X-Request-Id` of the request, with the prefix `caller:` if the caller chose it.'),
  details: Joi.object()
    .pattern(Joi.string(), Joi.string())
    .description('Further details, such as a role, a kind or a prefix.'),
});

const toView = mapTo(auditEntryView);

function toAuditEntryView(row: AuditRow): AuditEntryView {
  const { actorId, actorEmail, targetId, targetName } = row;
  return toView({
    ...row,
    actor: actorId !== null && actorEmail !== null ? { id: actorId, email: actorEmail } : null,
    target: targetId !== null && targetName !== null ? { id: targetId, name: targetName } : null,
  });
}

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
