import { SMS_STATUSES } from '@jobline/contracts';
import { findMessage, type MessageDetailRow, type MessageRow } from '@jobline/db';
import { readChat } from '@jobline/messaging';
import Joi from 'joi';
import { uuid } from '../http/fields.js';
import { text, view } from '../http/view.js';
import { events, historyOf, inHistory, keptText, messageList, toEventView } from './messages.js';
import { defineListEndpoint, defineReadEndpoint } from './row-endpoints.js';

const chat = {
  id: uuid(),
  status: Joi.valid(...SMS_STATUSES),
  to: Joi.string(),
  provider: Joi.string().description('The provider of the message; `sandbox` sends nothing.'),
  provider_message_id: Joi.string().allow(null),
  message: keptText.description('Null if it uses a template, or if the job that sent it was deleted.'),
  template: text().allow(null).description('The name of the template of the provider; null: it uses none.'),
  language: Joi.string()
    .allow(null)
    .description('The language of the template. Null if the job was deleted or redacted.'),
  parameters: Joi.array()
    .items(text())
    .allow(null)
    .description('The texts of the variables of the template. Null if the job was deleted or redacted.'),
  ...inHistory,
};

const chatView = view<ReturnType<typeof toChatView>>('ChatMessage', chat);
const chatDetailView = view<ReturnType<typeof toChatDetailView>>('ChatMessageDetail', { ...chat, events });

function toChatView(row: MessageRow) {
  return {
    id: row.id,
    status: row.status,
    to: row.recipient,
    provider: row.provider,
    provider_message_id: row.providerMessageId,
    ...readChat(row),
    ...historyOf(row),
  };
}

function toChatDetailView(row: MessageDetailRow) {
  return { ...toChatView(row), events: row.events.map(toEventView) };
}

/** The organization's chat messages, newest first. Only jobs send them. */
export const listChatMessages = defineListEndpoint({
  path: '/chat/messages',
  summary: 'List chat messages',
  ...messageList('chat', SMS_STATUSES),
  description: 'A page of chat messages',
  view: chatView,
  toView: toChatView,
});

/** A chat message with its content and the events that its provider has reported. */
export const getChatMessage = defineReadEndpoint({
  path: '/chat/messages/:id',
  summary: 'Read a chat message',
  scope: 'messages:read',
  description: 'The chat message.',
  view: chatDetailView,
  find: (db, orgId, id) => findMessage(db, orgId, 'chat', id),
  toView: toChatDetailView,
});
