import type { AuditAction, OrgId, Right } from '@jobline/contracts';
import { type DbSession, recordAudit } from '@jobline/db';
import { defineEndpoint } from '../endpoint.js';
import { UUID_PATTERN } from '../http/fields.js';
import { notFound } from '../http/http-errors.js';
import { empty } from '../http/responses.js';

interface Removal {
  path: `${string}/:id`;
  summary: string;
  right: Right;
  /** What the response means, for the API document. */
  description: string;
  action: AuditAction;
  /** Returns the name of the removed row; null if the organization has no such row. */
  remove(tx: DbSession, orgId: OrgId, id: string): Promise<string | null>;
}

/** Defines an endpoint that removes a row of the organization and records it in the audit log. */
export function defineRemovalEndpoint({ path, summary, right, description, action, remove }: Removal) {
  return defineEndpoint({
    method: 'delete',
    path,
    summary,
    auth: 'bearer',
    right,
    needs: ['db'],
    limits: { caller: 'manage' },
    params: { id: UUID_PATTERN },
    responses: { 204: empty(description) },
    async handle({ deps, principal, origin, params: { id } }) {
      await deps.db.$transaction(async (tx) => {
        const name = await remove(tx, principal.orgId, id);
        if (name === null) throw notFound();
        await recordAudit(tx, principal.orgId, { ...origin, action, target: { id, name } });
      });
      return { status: 204 };
    },
  });
}
