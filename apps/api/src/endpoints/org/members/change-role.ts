import { ROLES } from '@jobline/contracts';
import { changeRole as changeRoleRow } from '@jobline/db';
import { defineEndpoint } from '../../../endpoint.js';
import { fieldsOf, oneOf, UUID_PATTERN } from '../../../http/fields.js';
import { json } from '../../../http/response-specs.js';
import { memberView, toMemberView } from '../../../views/team-view.js';
import { memberError } from './member-errors.js';

/**
 * Gives a member another role, which may be the role of an owner. It takes effect immediately in this process, and within
 * five seconds in others.
 */
export const changeRole = defineEndpoint({
  method: 'patch',
  path: '/org/members/:id',
  summary: "Change a member's role",
  auth: 'bearer',
  right: 'members',
  needs: ['credentials', 'db'],
  limits: { caller: 'manage' },
  params: { id: UUID_PATTERN },
  body: fieldsOf({ role: oneOf(ROLES) }),
  responses: { 200: json('The member with the new role.', memberView) },
  errors: ['last_owner'],
  async handle({ deps, principal, origin, params, body }) {
    const changed = await changeRoleRow(deps.db, principal.orgId, params.id, { role: body.role, origin });
    if (typeof changed === 'string') throw memberError(changed);
    for (const sessionId of changed.sessionIds) deps.credentials.forgetSession(sessionId);
    return { status: 200, body: toMemberView(changed.member) };
  },
});
