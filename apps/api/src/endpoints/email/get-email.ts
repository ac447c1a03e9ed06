import { findMessage } from '@jobline/db';
import { emailDetailView, toEmailDetailView } from '../../views/message-view.js';
import { defineReadEndpoint } from '../row-endpoints.js';

/** An email with its text and the events that its provider has reported. */
export const getEmail = defineReadEndpoint({
  path: '/email/messages/:id',
  summary: 'Read an email',
  right: 'messages',
  scope: 'messages:read',
  description: 'The email.',
  view: emailDetailView,
  find: (db, orgId, id) => findMessage(db, orgId, 'email', id),
  toView: toEmailDetailView,
});
