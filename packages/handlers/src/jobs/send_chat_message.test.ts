import { describe, expect, test } from 'vitest';
import { issuesOf } from '../payload.js';
import type { ChatMessage } from '../ports/index.js';
import { runHandler } from '../testing.js';
import { sendChatMessage } from './send_chat_message.js';

async function run(provider: string, providerMessageId: string | null) {
  const sent: [ChatMessage, AbortSignal][] = [];
  const chat = {
    provider,
    send: async (...given: [ChatMessage, AbortSignal]) => {
      sent.push(given);
      return { providerMessageId };
    },
  };
  const { signal } = new AbortController();
  const ran = await runHandler(sendChatMessage, { to: '+254712345678', message: 'Hi' }, { ports: { chat }, signal });
  return { sent, signal, ...ran };
}

test('send_chat_message returns the provider and its id', async () => {
  const { sent, signal, result, logs } = await run('whatsapp', 'wamid.1');

  expect(sent).toEqual([[{ to: '+254712345678', message: 'Hi' }, signal]]);
  expect(result).toEqual({ provider: 'whatsapp', provider_message_id: 'wamid.1' });
  expect(logs).toEqual([{ level: 'info', message: 'whatsapp accepted the message as wamid.1' }]);
});

test('the log of a sandbox chat message says that nothing was sent', async () => {
  const { result, logs } = await run('sandbox', null);

  expect(result).toEqual({ provider: 'sandbox', provider_message_id: null });
  expect(logs).toEqual([{ level: 'info', message: 'sandbox: the message was checked and not sent' }]);
});

describe('the payload of send_chat_message', () => {
  test.each([
    { to: '254712345678', message: 'Hi' },
    { to: 'someone', message: '\n x'.padEnd(4096, '.'), more: 1 },
  ])('can be %j', (payload) => {
    expect(issuesOf(sendChatMessage, payload)).toEqual([]);
  });

  test.each<[object, string[]]>([
    [{}, ['payload.to', 'payload.message']],
    [{ to: '', message: '' }, ['payload.to', 'payload.message']],
    [{ to: 254712345678, message: 7 }, ['payload.to', 'payload.message']],
    [{ to: ' 254712345678', message: ' \n' }, ['payload.to', 'payload.message']],
    [{ to: 'x'.repeat(257), message: 'x'.repeat(4097) }, ['payload.to', 'payload.message']],
  ])('must not be %j', (payload, paths) => {
    expect(issuesOf(sendChatMessage, payload).map(({ path }) => path)).toEqual(paths);
  });
});
