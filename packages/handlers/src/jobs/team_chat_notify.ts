import Joi from 'joi';
import { defineHandler } from '../define-handler.js';
import { acceptanceLog, nonBlankText } from '../messages.js';
import type { ChannelMessage } from '../ports/index.js';
import { resultFields } from '../result-fields.js';

/** The limit of the service, which truncates longer texts. */
const MAX_TEXT_LENGTH = 40_000;

/** Posts to a channel. The message is delivered at least once, like a chat message. */
export const teamChatNotify = defineHandler<ChannelMessage>({
  type: 'team_chat_notify',
  summary: 'Post a message to a channel of the team chat',
  queue: 'io',
  payload: Joi.object<ChannelMessage, true>({
    channel: Joi.string().trim().max(256).required(),
    text: nonBlankText().max(MAX_TEXT_LENGTH).required(),
  }),
  result: resultFields({ provider: Joi.string(), provider_message_id: Joi.string().allow(null) }),
  about: ({ channel }) => ({ channel }),
  async run({ channel, text }, { ports, signal, log }) {
    const { provider } = ports.teamChat;
    const { providerMessageId } = await ports.teamChat.post({ channel, text }, signal);
    log('info', acceptanceLog(provider, 'the message', providerMessageId));
    return { provider, provider_message_id: providerMessageId };
  },
});
