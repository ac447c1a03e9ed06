import Joi from 'joi';
import { defineHandler } from '../define-handler.js';
import { attachmentSources, readAttachments } from '../email-attachments.js';
import { type EmailFields, emailBody, emailFields, withTexts } from '../email-fields.js';
import {
  acceptanceLog,
  emailRecipient,
  sender,
  subjectLine,
  templateName,
  unlessTemplate,
  validationError,
} from '../messages.js';
import type { EmailDraft } from '../ports/index.js';
import { acceptance, resultFields } from '../result-fields.js';

interface Payload extends EmailDraft, EmailFields {
  to: string;
}

/**
 * Sends one email to all of its recipients. Each gets it only once, as far as its record or the provider shows that it was
 * sent before.
 */
export const sendEmail = defineHandler<Payload>({
  type: 'send_email',
  summary: 'Send an email',
  queue: 'io',
  timeoutMs: 60_000,
  payload: Joi.object<Payload, true>({
    to: emailRecipient().required(),
    from: sender(),
    subject: unlessTemplate(subjectLine()),
    body: emailBody(),
    template: templateName(),
    data: Joi.object(),
    ...emailFields,
  }).meta(withTexts(['template'])),
  result: resultFields(acceptance),
  about: ({ to, cc, bcc }) => ({ to, cc, bcc }),
  subject: ({ subject }) => subject,
  sources: ({ attachments }) => attachmentSources(attachments),
  async precheck(payload, { orgId, ports, signal }) {
    return (await ports.compose.email(orgId, payload, signal)).failure ?? null;
  },
  async run(payload, ctx) {
    const { message, failure } = await ctx.ports.compose.email(ctx.orgId, payload, ctx.signal);
    if (failure) throw validationError(failure);
    const { to, cc, bcc, headers } = payload;
    const attachments = await readAttachments(payload.attachments, ctx.readSource);
    const sent = await ctx.ports.messages.sendEmail({ ...message, to, cc, bcc, headers, attachments }, ctx);
    ctx.log('info', acceptanceLog(sent.provider, 'the email', sent.providerMessageId));
    return { provider: sent.provider, message_id: sent.messageId, provider_message_id: sent.providerMessageId };
  },
});
