import { listMembers as listMemberRows } from '@jobline/db';
import Joi from 'joi';
import { defineEndpoint } from '../../../endpoint.js';
import { UUID_PATTERN } from '../../../http/fields.js';
import { encodeTimeCursor, limit, nextPage, type TimeCursor, timeCursor } from '../../../http/paging.js';
import { page } from '../../../http/responses.js';
import { memberView, toMemberView } from '../../../views/team-view.js';

interface Query {
  limit: number;
  cursor?: TimeCursor;
}

/** Who belongs to the organization, the one who joined last first. */
export const listMembers = defineEndpoint({
  method: 'get',
  path: '/org/members',
  summary: 'List members',
  auth: 'bearer',
  right: 'read_members',
  query: Joi.object<Query>({ limit: limit(), cursor: timeCursor(UUID_PATTERN) }),
  responses: { 200: page('A page of members', memberView) },
  async handle({ deps, principal, query, url }) {
    const { items, next } = await listMemberRows(deps.db, principal.orgId, query);
    return { status: 200, body: items.map(toMemberView), headers: nextPage(url, next && encodeTimeCursor(next)) };
  },
});
