import { listInvites as listInviteRows } from '@jobline/db';
import Joi from 'joi';
import { defineEndpoint } from '../../../endpoint.js';
import { UUID_PATTERN } from '../../../http/fields.js';
import { encodeTimeCursor, limit, nextPage, type TimeCursor, timeCursor } from '../../../http/paging.js';
import { page } from '../../../http/responses.js';
import { inviteView, toInviteView } from '../../../views/team-view.js';

interface Query {
  limit: number;
  cursor?: TimeCursor;
}

/** The invites that can still be accepted, newest first. Their links were shown once and are not stored. */
export const listInvites = defineEndpoint({
  method: 'get',
  path: '/org/invites',
  summary: 'List pending invites',
  auth: 'bearer',
  right: 'invites',
  query: Joi.object<Query>({ limit: limit(), cursor: timeCursor(UUID_PATTERN) }),
  responses: { 200: page('A page of pending invites', inviteView) },
  async handle({ deps, principal, query, url }) {
    const { items, next } = await listInviteRows(deps.db, principal.orgId, query);
    return { status: 200, body: items.map(toInviteView), headers: nextPage(url, next && encodeTimeCursor(next)) };
  },
});
