import Joi from 'joi';
import { defineHandler } from '../define-handler.js';
import { acceptanceLog, nonBlankText } from '../messages.js';
import type { ChatMessage } from '../ports/index.js';

/** The limit of the chat services. */
const MAX_MESSAGE_LENGTH = 4_096;

/** Sends a chat message. It is delivered at least once: no chat service detects a repeat after a lost answer. */
export const sendChatMessage = defineHandler<ChatMessage>({
  type: 'send_chat_message',
  summary: 'Send a chat message to a person',
  queue: 'io',
  payload: Joi.object<ChatMessage, true>({
    to: Joi.string().trim().max(256).required(),
    message: nonBlankText().max(MAX_MESSAGE_LENGTH).required(),
  }),
  async run({ to, message }, { ports, signal, log }) {
    const { provider } = ports.chat;
    const { providerMessageId } = await ports.chat.send({ to, message }, signal);
    log('info', acceptanceLog(provider, 'the message', providerMessageId));
    return { provider, provider_message_id: providerMessageId };
  },
});
