import { AppError, assertNever, ROLES } from '@jobline/contracts';
import {
  changeRole as changeRoleRow,
  listMembers as listMembersRows,
  type MemberChangeFailure,
  type MemberRow,
  removeMember as removeMemberRow,
} from '@jobline/db';
import Joi from 'joi';
import { defineEndpoint } from '../endpoint.js';
import { notFound } from '../http/errors.js';
import { fieldsOf, oneOf, uuid } from '../http/fields.js';
import { empty, json } from '../http/response-specs.js';
import { timestamp, view } from '../http/view.js';
import { defineListEndpoint } from './row-endpoints.js';

const memberView = view<ReturnType<typeof toMemberView>>('Member', {
  id: uuid().description("The user's id."),
  email: Joi.string().email({ tlds: false }),
  role: Joi.valid(...ROLES),
  joined_at: timestamp(),
  email_verified: Joi.boolean().description(
    'Whether a link that was emailed to the address was used. An unverified address gets no notices.',
  ),
});

function toMemberView({ userId, email: address, role, joinedAt, isProved }: MemberRow) {
  return { id: userId, email: address, role, joined_at: joinedAt.toISOString(), email_verified: isProved };
}

/** The members of the organization; the one who joined last comes first. */
export const listMembers = defineListEndpoint({
  path: '/org/members',
  summary: 'List members',
  right: 'read_members',
  description: 'A page of members',
  view: memberView,
  rows: listMembersRows,
  toView: toMemberView,
});

/**
 * Gives a member another role, which may be the role of an owner. It takes effect immediately in this process, and within
 * five seconds in others.
 */
export const changeRole = defineEndpoint({
  method: 'patch',
  path: '/org/members/:id',
  summary: "Change a member's role",
  right: 'members',
  needs: ['credentials', 'db'],
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

/**
 * Removes a member. Their sessions in this organization end, immediately in this process and within five seconds in others,
 * and the invites that they issued are revoked. The API keys that they created stay, because programs depend on them.
 */
export const removeMember = defineEndpoint({
  method: 'delete',
  path: '/org/members/:id',
  summary: 'Remove a member',
  right: 'members',
  needs: ['credentials', 'db'],
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

/** The error for a change of a member that is not possible. */
function memberError(reason: MemberChangeFailure): AppError {
  switch (reason) {
    case 'not_found':
      return notFound();
    case 'last_owner':
      return new AppError('last_owner', 'An organization must have at least one owner. Promote another member first.');
    case 'not_owner':
      return noLongerOwner();
    default:
      return assertNever(reason);
  }
}

/** The caller lost the role after the request had passed the check of rights. */
export function noLongerOwner(): AppError {
  return new AppError('forbidden', 'You are no longer an owner of this organization.');
}
