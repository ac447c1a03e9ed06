import { EMAIL_STATUSES, type MessageStatus } from '@jobline/contracts';
import { listMessages } from '@jobline/db';
import Joi from 'joi';
import type { PageQuery } from '../../http/paging.js';
import { emailView, toEmailView } from '../../views/message-view.js';
import { defineListEndpoint } from '../row-endpoints.js';

interface Query extends PageQuery {
  status?: MessageStatus;
}

/** The organization's emails, sent by jobs or directly, newest first. */
export const listEmails = defineListEndpoint({
  path: '/email/messages',
  summary: 'List emails',
  right: 'messages',
  description: 'A page of emails',
  view: emailView,
  filters: { status: Joi.valid(...EMAIL_STATUSES) },
  rows: (db, orgId, query: Query) => listMessages(db, orgId, 'email', query),
  toView: toEmailView,
});
