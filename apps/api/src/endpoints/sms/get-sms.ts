import { findMessage } from '@jobline/db';
import { defineEndpoint } from '../../endpoint.js';
import { UUID_PATTERN } from '../../http/fields.js';
import { notFound } from '../../http/http-errors.js';
import { json } from '../../http/responses.js';
import { smsDetailView, toSmsDetailView } from '../../views/message-view.js';

/** An SMS with its text and the events that its provider has reported. */
export const getSms = defineEndpoint({
  method: 'get',
  path: '/sms/messages/:id',
  summary: 'Read an SMS',
  auth: 'bearer',
  right: 'messages',
  needs: ['db'],
  params: { id: UUID_PATTERN },
  responses: { 200: json('The SMS.', smsDetailView) },
  async handle({ deps, principal, params }) {
    const row = await findMessage(deps.db, principal.orgId, 'sms', params.id);
    if (!row) throw notFound();
    return { status: 200, body: toSmsDetailView(row) };
  },
});
