import { listSenderIds as listSenderIdRows } from '@jobline/db';
import Joi from 'joi';
import { defineEndpoint } from '../../../endpoint.js';
import { UUID_PATTERN } from '../../../http/fields.js';
import { encodeTimeCursor, limit, nextPage, type TimeCursor, timeCursor } from '../../../http/paging.js';
import { page } from '../../../http/responses.js';
import { senderIdView, toSenderIdView } from '../../../views/sender-view.js';

interface Query {
  limit: number;
  cursor?: TimeCursor;
}

/** The organization's sender ids, newest first. */
export const listSenderIds = defineEndpoint({
  method: 'get',
  path: '/org/sender-ids',
  summary: 'List sender ids for SMS',
  auth: 'bearer',
  right: 'read_senders',
  query: Joi.object<Query>({ limit: limit(), cursor: timeCursor(UUID_PATTERN) }),
  responses: { 200: page('A page of sender ids', senderIdView) },
  async handle({ deps, principal, query, url }) {
    const { items, next } = await listSenderIdRows(deps.db, principal.orgId, query);
    const body = items.map((row) => toSenderIdView(row, deps.settings.senderIds));
    return { status: 200, body, headers: nextPage(url, next && encodeTimeCursor(next)) };
  },
});
