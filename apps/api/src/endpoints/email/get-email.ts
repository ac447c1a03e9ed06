import { findMessage } from '@jobline/db';
import { defineEndpoint } from '../../endpoint.js';
import { UUID_PATTERN } from '../../http/fields.js';
import { notFound } from '../../http/http-errors.js';
import { json } from '../../http/responses.js';
import { emailDetailView, toEmailDetailView } from '../../views/message-view.js';

/** An email with its text and the events that its provider has reported. */
export const getEmail = defineEndpoint({
  method: 'get',
  path: '/email/messages/:id',
  summary: 'Read an email',
  auth: 'bearer',
  right: 'messages',
  needs: ['db'],
  params: { id: UUID_PATTERN },
  responses: { 200: json('The email.', emailDetailView) },
  async handle({ deps, principal, params }) {
    const row = await findMessage(deps.db, principal.orgId, 'email', params.id);
    if (!row) throw notFound();
    return { status: 200, body: toEmailDetailView(row) };
  },
});
