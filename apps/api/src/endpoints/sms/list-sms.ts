import { type MessageStatus, SMS_STATUSES } from '@jobline/contracts';
import { listMessages } from '@jobline/db';
import Joi from 'joi';
import { defineEndpoint } from '../../endpoint.js';
import { UUID_PATTERN } from '../../http/fields.js';
import { encodeTimeCursor, limit, nextPage, type TimeCursor, timeCursor } from '../../http/paging.js';
import { page } from '../../http/responses.js';
import { smsView, toSmsView } from '../../views/message-view.js';

interface Query {
  status?: MessageStatus;
  limit: number;
  cursor?: TimeCursor;
}

/** The organization's SMS, sent by jobs or directly, newest first. */
export const listSms = defineEndpoint({
  method: 'get',
  path: '/sms/messages',
  summary: 'List SMS',
  auth: 'bearer',
  right: 'messages',
  query: Joi.object<Query>({
    status: Joi.valid(...SMS_STATUSES),
    limit: limit(),
    cursor: timeCursor(UUID_PATTERN),
  }),
  responses: { 200: page('A page of SMS', smsView) },
  async handle({ deps, principal, query, url }) {
    const { items, next } = await listMessages(deps.db, principal.orgId, 'sms', query);
    return { status: 200, body: items.map(toSmsView), headers: nextPage(url, next && encodeTimeCursor(next)) };
  },
});
