import type { JsonObject } from '@jobline/contracts';
import { describe, expect, test } from 'vitest';
import { issuesOf, payloadIssues } from '../payload.js';
import type { ChatMessage, Messages } from '../ports/index.js';
import { runHandler } from '../testing.js';
import { createCatalogue } from './index.js';
import { sendChatMessage } from './send_chat_message.js';

const TEXT = { to: '+254712345678', message: 'Hi' };
const TEMPLATE = { name: 'order_ready', language: 'en_US' };

async function run(provider: string, providerMessageId: string | null, payload: ChatMessage = TEXT) {
  const sent: ChatMessage[] = [];
  const messages: Messages = {
    async sendChat(message) {
      sent.push(message);
      return { messageId: 'm-1', providerMessageId, provider, segments: 1 };
    },
    sendEmail: () => Promise.reject(new Error('a chat message is not an email')),
    sendSms: () => Promise.reject(new Error('a chat message is not an SMS')),
  };
  return { sent, ...(await runHandler(sendChatMessage, payload, { ports: { messages } })) };
}

test('send_chat_message sends the text and returns the provider and the ids', async () => {
  const { sent, result, logs } = await run('whatsapp', 'wamid.1');

  expect(sent).toEqual([TEXT]);
  expect(result).toEqual({ provider: 'whatsapp', message_id: 'm-1', provider_message_id: 'wamid.1' });
  expect(logs).toEqual([{ level: 'info', message: 'whatsapp accepted the message as wamid.1' }]);
});

test('send_chat_message sends a template with its parameters', async () => {
  const template = { ...TEMPLATE, parameters: ['Ada', '17:00'] };

  expect((await run('whatsapp', 'wamid.1', { to: TEXT.to, template })).sent).toEqual([{ to: TEXT.to, template }]);
});

test('the log of a sandbox chat message says that nothing was sent', async () => {
  const { result, logs } = await run('sandbox', null);

  expect(result).toEqual({ provider: 'sandbox', message_id: 'm-1', provider_message_id: null });
  expect(logs).toEqual([{ level: 'info', message: 'sandbox: the message was checked and not sent' }]);
});

const paths = (payload: object) => issuesOf(sendChatMessage, payload).map(({ path }) => path);

describe('the payload of send_chat_message', () => {
  test.each([
    { to: '254712345678', message: 'Hi' },
    { to: 'someone', message: '\n x'.padEnd(4096, '.'), more: 1 },
    { to: '254712345678', template: TEMPLATE },
    { to: '254712345678', template: { ...TEMPLATE, language: 'en', parameters: [] } },
    { to: '254712345678', template: { ...TEMPLATE, parameters: ['a', 'b    c', 'Grüße {{1}} 🙂', 'x'.repeat(4096)] } },
  ])('can be %j', (payload) => {
    expect(issuesOf(sendChatMessage, payload)).toEqual([]);
  });

  test.each<[object, string[]]>([
    [{}, ['payload.to', 'payload.message']],
    [{ to: '', message: '' }, ['payload.to', 'payload.message']],
    [{ to: 254712345678, message: 7 }, ['payload.to', 'payload.message']],
    [{ to: ' 254712345678', message: ' \n' }, ['payload.to', 'payload.message']],
    [{ to: 'x'.repeat(257), message: 'x'.repeat(4097) }, ['payload.to', 'payload.message']],
    [{ to: 'a\u0000', message: 'a\ud800' }, ['payload.to', 'payload.message']],
    [{ ...TEXT, template: TEMPLATE }, ['payload.message']],
    [{ to: '1', template: 'order_ready' }, ['payload.template']],
    [{ to: '1', template: {} }, ['payload.template.name', 'payload.template.language']],
    [
      { to: '1', template: { name: 'Order ready', language: 'English (US)' } },
      ['payload.template.name', 'payload.template.language'],
    ],
    [{ to: '1', template: { ...TEMPLATE, parameters: 'Ada' } }, ['payload.template.parameters']],
    [{ to: '1', template: { ...TEMPLATE, parameters: Array(101).fill('a') } }, ['payload.template.parameters']],
  ])('must not be %j', (payload, expected) => {
    expect(paths(payload)).toEqual(expected);
  });

  test.each(['', ' ', 'a\nb', 'a\r\nb', 'a\tb', 'a\u2028b', 'a     b', 'a\u0000', 7, null, 'x'.repeat(4097)])(
    'must not have the template parameter %j',
    (parameter) => {
      const path = 'payload.template.parameters[1]';

      expect(paths({ to: '1', template: { ...TEMPLATE, parameters: ['a', parameter] } })).toContain(path);
    },
  );

  test('must have no other member in its template, and each one is named', () => {
    const template = { ...TEMPLATE, components: [], header: 'x' };
    const issues = (payload: JsonObject) =>
      payloadIssues(createCatalogue(), 'send_chat_message', payload).map(({ path }) => path);
    const expected = ['payload.template.components', 'payload.template.header'];

    expect(paths({ to: '1', template })).toEqual(expected);
    expect(issues({ to: '1', template, more: 1 })).toEqual(expected);
  });

  test('is rejected without much work if it has very many unknown members or parameters', () => {
    const many = Object.fromEntries(Array.from({ length: 60_000 }, (_, n) => [`k${n}`, 1]));
    const parameters = Array.from({ length: 300_000 }, () => '');
    const issues = (template: JsonObject) =>
      payloadIssues(createCatalogue(), 'send_chat_message', { to: '1', template }).length;

    expect(issues({ ...TEMPLATE, ...many })).toBe(100);
    expect(issues({ ...TEMPLATE, parameters })).toBe(1);
  });
});
