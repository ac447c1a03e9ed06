import Joi from 'joi';
import { defineHandler } from '../define-handler.js';
import {
  acceptanceLog,
  phoneNumber,
  sender,
  smsText,
  templateName,
  unlessTemplate,
  validationError,
} from '../messages.js';
import type { SmsDraft } from '../ports/index.js';
import { acceptance, resultFields } from '../result-fields.js';

interface Payload extends SmsDraft {
  to: string;
}

/** Sends one SMS. It is sent only once, as far as its record or the provider shows that it was sent before. */
export const sendSms = defineHandler<Payload>({
  type: 'send_sms',
  summary: 'Send an SMS',
  queue: 'io',
  timeoutMs: 60_000,
  payload: Joi.object<Payload, true>({
    to: phoneNumber().required(),
    from: sender(),
    message: unlessTemplate(smsText()),
    template: templateName(),
    data: Joi.object(),
  }),
  result: resultFields({ ...acceptance, segments: Joi.number() }),
  about: ({ to }) => ({ to }),
  async precheck(payload, { orgId, ports, signal }) {
    return (await ports.compose.sms(orgId, payload, signal)).failure ?? null;
  },
  async run(payload, ctx) {
    const { message, failure } = await ctx.ports.compose.sms(ctx.orgId, payload, ctx.signal);
    if (failure) throw validationError(failure);
    const sent = await ctx.ports.messages.sendSms({ ...message, to: payload.to }, ctx);
    const what = `the SMS (${sent.segments} segment${sent.segments === 1 ? '' : 's'})`;
    ctx.log('info', acceptanceLog(sent.provider, what, sent.providerMessageId));
    return {
      provider: sent.provider,
      message_id: sent.messageId,
      provider_message_id: sent.providerMessageId,
      segments: sent.segments,
    };
  },
});
