import { emailBody, emailRecipient, sender, subjectLine } from '@jobline/handlers';
import { MESSAGE_TYPES, requireType } from '../../auth/visible-types.js';
import { defineEndpoint } from '../../endpoint.js';
import { rejectedMessage } from '../../http/errors.js';
import { fieldsOf } from '../../http/fields.js';
import { json } from '../../http/response-specs.js';
import { sentEmailView, toSentEmailView } from '../../views/message-view.js';

/** Sends an email without the queue. The response has the result of the provider. */
export const sendEmail = defineEndpoint({
  method: 'post',
  path: '/email/send',
  summary: 'Send an email now',
  auth: 'messages:send',
  right: 'messages',
  needs: ['compose', 'directSends'],
  idempotent: true,
  limits: { org: 'send', stores: true },
  body: fieldsOf(
    {
      to: emailRecipient(),
      subject: subjectLine(),
      body: emailBody().description('HTML if it contains HTML, otherwise plain text.'),
    },
    { from: sender().description('An address of a domain that the organization has verified.') },
  ),
  responses: { 200: json('The provider has accepted the email.', sentEmailView, ['Idempotent-Replayed?']) },
  errors: [
    'sender_domain_not_verified',
    'suppressed',
    'conflict',
    'idempotency_key_reused',
    'provider_error',
    'unknown_effect',
  ],
  async handle({ deps, principal, body, idempotencyKey }) {
    requireType(principal, MESSAGE_TYPES.email);
    const { orgId } = principal;
    const { message, failure } = await deps.compose().email(orgId, body);
    if (failure) throw rejectedMessage(failure);
    const sent = await deps.directSends.email(orgId, { ...message, to: body.to }, idempotencyKey);
    const headers = sent.replayed ? { 'Idempotent-Replayed': 'true' } : undefined;
    return { status: 200, body: toSentEmailView(sent), headers };
  },
});
