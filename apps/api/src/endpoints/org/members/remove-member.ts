import { AppError } from '@jobline/contracts';
import { removeMember as removeMemberRow } from '@jobline/db';
import { defineEndpoint } from '../../../endpoint.js';
import { UUID_PATTERN } from '../../../http/fields.js';
import { empty } from '../../../http/responses.js';
import { memberRefusal } from './member-errors.js';

/**
 * Removes a member. Their sessions here end, at once in this process and within five seconds in others, and the invites
 * that they have issued are revoked; the API keys that they made stay, because programs depend on them.
 */
export const removeMember = defineEndpoint({
  method: 'delete',
  path: '/org/members/:id',
  summary: 'Remove a member',
  auth: 'bearer',
  right: 'members',
  limits: { caller: 'manage' },
  params: { id: UUID_PATTERN },
  responses: { 204: empty('They are removed; their API keys, `GET /org/api-keys?created_by=`, still work.') },
  errors: ['cannot_remove_self', 'last_owner'],
  async handle({ deps, principal, origin, params }) {
    if (params.id === principal.userId) throw cannotRemoveSelf();
    const removed = await removeMemberRow(deps.db, principal.orgId, params.id, origin);
    if (typeof removed === 'string') throw memberRefusal(removed);
    for (const sessionId of removed.sessionIds) deps.credentials.forgetSession(sessionId);
    return { status: 204 };
  },
});

function cannotRemoveSelf(): AppError {
  return new AppError('cannot_remove_self', 'You cannot remove yourself; another owner can.');
}
