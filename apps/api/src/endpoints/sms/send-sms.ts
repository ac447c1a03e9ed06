import { phoneNumber, sender, smsText } from '@jobline/handlers';
import { MESSAGE_TYPES, requireType } from '../../auth/visible-types.js';
import { defineEndpoint } from '../../endpoint.js';
import { rejectedMessage } from '../../http/errors.js';
import { fieldsOf } from '../../http/fields.js';
import { json } from '../../http/response-specs.js';
import { sentSmsView, toSentSmsView } from '../../views/message-view.js';

/** Sends an SMS without the queue. The response has the result of the provider. */
export const sendSms = defineEndpoint({
  method: 'post',
  path: '/sms/send',
  summary: 'Send an SMS now',
  auth: 'messages:send',
  right: 'messages',
  needs: ['compose', 'directSends'],
  idempotent: true,
  limits: { org: 'send', stores: true },
  body: fieldsOf(
    { to: phoneNumber(), message: smsText() },
    { from: sender().description('A sender id that the organization has registered.') },
  ),
  responses: { 200: json('The provider has accepted the SMS.', sentSmsView, ['Idempotent-Replayed?']) },
  errors: [
    'sender_not_registered',
    'suppressed',
    'conflict',
    'idempotency_key_reused',
    'provider_error',
    'unknown_effect',
  ],
  async handle({ deps, principal, body, idempotencyKey }) {
    requireType(principal, MESSAGE_TYPES.sms);
    const { orgId } = principal;
    const { message, failure } = await deps.compose().sms(orgId, body);
    if (failure) throw rejectedMessage(failure);
    const sent = await deps.directSends.sms(orgId, { ...message, to: body.to }, idempotencyKey);
    const headers = sent.replayed ? { 'Idempotent-Replayed': 'true' } : undefined;
    return { status: 200, body: toSentSmsView(sent), headers };
  },
});
