import { AppError } from '@jobline/contracts';
import { removeMember as removeMemberRow } from '@jobline/db';
import { defineEndpoint } from '../../../endpoint.js';
import { UUID_PATTERN } from '../../../http/fields.js';
import { empty } from '../../../http/response-specs.js';
import { memberError } from './member-errors.js';

/**
 * Removes a member. Their sessions in this organization end, immediately in this process and within five seconds in others,
 * and the invites that they issued are revoked. The API keys that they created stay, because programs depend on them.
 */
export const removeMember = defineEndpoint({
  method: 'delete',
  path: '/org/members/:id',
  summary: 'Remove a member',
  auth: 'bearer',
  right: 'members',
  needs: ['credentials', 'db'],
  limits: { caller: 'manage' },
  params: { id: UUID_PATTERN },
  responses: { 204: empty('The member is removed. Their API keys (`GET /org/api-keys?created_by=`) still work.') },
  errors: ['cannot_remove_self', 'last_owner'],
  async handle({ deps, principal, origin, params }) {
    if (params.id === principal.userId) throw cannotRemoveSelf();
    const removed = await removeMemberRow(deps.db, principal.orgId, params.id, origin);
    if (typeof removed === 'string') throw memberError(removed);
    for (const sessionId of removed.sessionIds) deps.credentials.forgetSession(sessionId);
    return { status: 204 };
  },
});

function cannotRemoveSelf(): AppError {
  return new AppError('cannot_remove_self', 'You cannot remove yourself; ask another owner to do it.');
}
