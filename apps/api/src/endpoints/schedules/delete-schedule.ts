import { deleteSchedule as deleteScheduleRow, recordAudit } from '@jobline/db';
import { defineEndpoint } from '../../endpoint.js';
import { notFound } from '../../http/errors.js';
import { UUID_PATTERN } from '../../http/fields.js';
import { empty } from '../../http/response-specs.js';

/** Deletes a schedule. Times that are due already are made before, and its jobs stay. */
export const deleteSchedule = defineEndpoint({
  method: 'delete',
  path: '/schedules/:id',
  summary: 'Delete a schedule',
  auth: 'schedules:write',
  right: 'schedules',
  needs: ['db', 'plan'],
  limits: { caller: 'manage' },
  params: { id: UUID_PATTERN },
  responses: { 204: empty('The schedule is deleted. Its jobs stay.') },
  async handle({ deps, principal: { orgId }, origin, params: { id } }) {
    await deps.plan.settle(orgId, id);
    await deps.db.$transaction(async (tx) => {
      const name = await deleteScheduleRow(tx, orgId, id);
      if (name === null) throw notFound();
      await recordAudit(tx, orgId, { ...origin, action: 'schedule.deleted', target: { id, name } });
    });
    return { status: 204 };
  },
});
