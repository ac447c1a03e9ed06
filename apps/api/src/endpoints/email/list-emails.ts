import { EMAIL_STATUSES, type MessageStatus } from '@jobline/contracts';
import { listMessages } from '@jobline/db';
import Joi from 'joi';
import { defineEndpoint } from '../../endpoint.js';
import { UUID_PATTERN } from '../../http/fields.js';
import { encodeTimeCursor, limit, nextPage, type TimeCursor, timeCursor } from '../../http/paging.js';
import { page } from '../../http/responses.js';
import { emailView, toEmailView } from '../../views/message-view.js';

interface Query {
  status?: MessageStatus;
  limit: number;
  cursor?: TimeCursor;
}

/** The organization's emails, sent by jobs or directly, newest first. */
export const listEmails = defineEndpoint({
  method: 'get',
  path: '/email/messages',
  summary: 'List emails',
  auth: 'bearer',
  right: 'messages',
  query: Joi.object<Query>({
    status: Joi.valid(...EMAIL_STATUSES),
    limit: limit(),
    cursor: timeCursor(UUID_PATTERN),
  }),
  responses: { 200: page('A page of emails', emailView) },
  async handle({ deps, principal, query, url }) {
    const { items, next } = await listMessages(deps.db, principal.orgId, 'email', query);
    return { status: 200, body: items.map(toEmailView), headers: nextPage(url, next && encodeTimeCursor(next)) };
  },
});
