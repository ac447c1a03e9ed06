import { findMessage } from '@jobline/db';
import { smsDetailView, toSmsDetailView } from '../../views/message-view.js';
import { defineReadEndpoint } from '../row-endpoints.js';

/** An SMS with its text and the events that its provider has reported. */
export const getSms = defineReadEndpoint({
  path: '/sms/messages/:id',
  summary: 'Read an SMS',
  right: 'messages',
  scope: 'messages:read',
  description: 'The SMS.',
  view: smsDetailView,
  find: (db, orgId, id) => findMessage(db, orgId, 'sms', id),
  toView: toSmsDetailView,
});
