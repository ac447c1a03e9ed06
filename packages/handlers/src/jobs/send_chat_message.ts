import Joi from 'joi';
import { listOf } from '../bounded-schema.js';
import { defineHandler } from '../define-handler.js';
import { acceptanceLog, chatRecipient, chatText, unlessTemplate } from '../messages.js';
import type { ChatMessage, ChatTemplate } from '../ports/index.js';
import { acceptance, resultFields } from '../result-fields.js';

const MAX_TEMPLATE_NAME_LENGTH = 512;
const MAX_LANGUAGE_LENGTH = 20;
const MAX_PARAMETERS = 100;

/**
 * Sends a chat message. It is sent only once, as far as its record or the provider shows that it was sent before: no
 * chat service detects a repeat after a lost answer.
 */
export const sendChatMessage = defineHandler<ChatMessage>({
  type: 'send_chat_message',
  summary: 'Send a chat message to a person',
  queue: 'io',
  payload: Joi.object<ChatMessage, true>({
    to: chatRecipient().required(),
    message: unlessTemplate(chatText()),
    template: Joi.object<ChatTemplate>({
      name: Joi.string()
        .max(MAX_TEMPLATE_NAME_LENGTH)
        .pattern(/^\w+$/)
        .messages({ 'string.pattern.base': '{{#label}} must contain only ASCII letters, digits and underscores' })
        .required(),
      language: Joi.string()
        .max(MAX_LANGUAGE_LENGTH)
        .pattern(/^[a-z]+(?:[_-][a-z\d]+)*$/i)
        .messages({ 'string.pattern.base': '{{#label}} must be the code of a language, such as en or en_US' })
        .required(),
      parameters: listOf(MAX_PARAMETERS, templateParameter()),
    }).unknown(false),
  }),
  result: resultFields(acceptance),
  about: ({ to }) => ({ to }),
  async run({ to, message, template }, ctx) {
    const content = template ? { template } : { message };
    const { provider, messageId, providerMessageId } = await ctx.ports.messages.sendChat({ to, ...content }, ctx);
    ctx.log('info', acceptanceLog(provider, 'the message', providerMessageId));
    return { provider, message_id: messageId, provider_message_id: providerMessageId };
  },
});

/** WhatsApp refuses other texts when the message is sent. */
function templateParameter(): Joi.StringSchema {
  return chatText()
    .pattern(/[\n\r\t\v\f\x85\u2028\u2029]| {5}/, { invert: true })
    .messages({
      'string.pattern.invert.base': '{{#label}} must not contain line breaks, tabs or five spaces in a row',
    });
}
