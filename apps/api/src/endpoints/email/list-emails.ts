import { EMAIL_STATUSES, type MessageStatus } from '@jobline/contracts';
import { listMessages } from '@jobline/db';
import Joi from 'joi';
import { isVisible, MESSAGE_TYPES } from '../../auth/visible-types.js';
import type { PageQuery } from '../../http/paging.js';
import { emailView, toEmailView } from '../../views/message-view.js';
import { defineListEndpoint, NO_ROWS } from '../row-endpoints.js';

interface Query extends PageQuery {
  status?: MessageStatus;
}

/** The organization's emails, sent by jobs or directly, newest first. */
export const listEmails = defineListEndpoint({
  path: '/email/messages',
  summary: 'List emails',
  right: 'messages',
  scope: 'messages:read',
  description: 'A page of emails',
  view: emailView,
  filters: { status: Joi.valid(...EMAIL_STATUSES) },
  rows: async (db, orgId, query: Query, types) =>
    isVisible(types, MESSAGE_TYPES.email) ? listMessages(db, orgId, 'email', query) : NO_ROWS,
  toView: toEmailView,
});
