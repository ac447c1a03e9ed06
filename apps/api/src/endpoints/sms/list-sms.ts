import { type MessageStatus, SMS_STATUSES } from '@jobline/contracts';
import { listMessages } from '@jobline/db';
import Joi from 'joi';
import { isVisible, MESSAGE_TYPES } from '../../auth/visible-types.js';
import type { PageQuery } from '../../http/paging.js';
import { smsView, toSmsView } from '../../views/message-view.js';
import { defineListEndpoint, NO_ROWS } from '../row-endpoints.js';

interface Query extends PageQuery {
  status?: MessageStatus;
}

/** The organization's SMS, sent by jobs or directly, newest first. */
export const listSms = defineListEndpoint({
  path: '/sms/messages',
  summary: 'List SMS',
  right: 'messages',
  scope: 'messages:read',
  description: 'A page of SMS',
  view: smsView,
  filters: { status: Joi.valid(...SMS_STATUSES) },
  rows: async (db, orgId, query: Query, types) =>
    isVisible(types, MESSAGE_TYPES.sms) ? listMessages(db, orgId, 'sms', query) : NO_ROWS,
  toView: toSmsView,
});
