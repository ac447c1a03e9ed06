import Joi from 'joi';
import { defineHandler } from '../define-handler.js';
import { acceptanceLog } from '../messages/acceptance-log.js';
import type { ChatMessage } from '../ports/index.js';

/** The longest that the chat services take. */
const MAX_MESSAGE_LENGTH = 4_096;

/** Sends a chat message. Delivers at least once: no chat service knows a repeat of one whose answer was lost. */
export const sendChatMessage = defineHandler<ChatMessage>({
  type: 'send_chat_message',
  summary: 'Send a chat message to a person',
  queue: 'io',
  payload: Joi.object<ChatMessage, true>({
    to: Joi.string().trim().max(256).required(),
    message: Joi.string()
      .pattern(/\S/)
      .messages({ 'string.pattern.base': '{{#label}} must have more than white space' })
      .max(MAX_MESSAGE_LENGTH)
      .required(),
  }),
  async run({ to, message }, { ports, signal, log }) {
    const { provider } = ports.chat;
    const { providerMessageId } = await ports.chat.send({ to, message }, signal);
    log('info', acceptanceLog(provider, 'the message', providerMessageId));
    return { provider, provider_message_id: providerMessageId };
  },
});
