import { type MessageStatus, SMS_STATUSES } from '@jobline/contracts';
import { listMessages } from '@jobline/db';
import Joi from 'joi';
import type { PageQuery } from '../../http/paging.js';
import { smsView, toSmsView } from '../../views/message-view.js';
import { defineListEndpoint } from '../row-endpoints.js';

interface Query extends PageQuery {
  status?: MessageStatus;
}

/** The organization's SMS, sent by jobs or directly, newest first. */
export const listSms = defineListEndpoint({
  path: '/sms/messages',
  summary: 'List SMS',
  right: 'messages',
  description: 'A page of SMS',
  view: smsView,
  filters: { status: Joi.valid(...SMS_STATUSES) },
  rows: (db, orgId, query: Query) => listMessages(db, orgId, 'sms', query),
  toView: toSmsView,
});
