import { LIMIT_NAME_PATTERN } from '@jobline/contracts';
import { recordAudit } from '@jobline/db';
import { defineEndpoint } from '../../../endpoint.js';
import { notFound } from '../../../http/errors.js';
import { empty } from '../../../http/response-specs.js';

/** Deletes a limit. Its waiting jobs start without it. */
export const deleteLimit = defineEndpoint({
  method: 'delete',
  path: '/org/limits/:name',
  summary: 'Delete a limit',
  auth: 'bearer',
  right: 'limits',
  needs: ['setLimits'],
  limits: { caller: 'manage' },
  params: { name: LIMIT_NAME_PATTERN },
  responses: { 204: empty('The limit is deleted. Jobs and schedules keep its name.') },
  async handle({ deps, principal: { orgId }, origin, params: { name } }) {
    const isDeleted = await deps.setLimits.delete(orgId, name, (tx) =>
      recordAudit(tx, orgId, { ...origin, action: 'limit.deleted', target: { id: orgId, name } }),
    );
    if (!isDeleted) throw notFound();
    return { status: 204 };
  },
});
