import { describe, expect, test } from 'vitest';
import { issuesOf } from '../payload.js';
import type { ChannelMessage } from '../ports/index.js';
import { runHandler } from '../testing.js';
import { teamChatNotify } from './team_chat_notify.js';

async function run(provider: string, providerMessageId: string | null) {
  const posted: [ChannelMessage, AbortSignal][] = [];
  const teamChat = {
    provider,
    post: async (...given: [ChannelMessage, AbortSignal]) => {
      posted.push(given);
      return { providerMessageId };
    },
  };
  const { signal } = new AbortController();
  const ran = await runHandler(teamChatNotify, { channel: '#ops', text: 'Up' }, { ports: { teamChat }, signal });
  return { posted, signal, ...ran };
}

test('team_chat_notify returns the provider and its id', async () => {
  const { posted, signal, result, logs } = await run('slack', 'C1:1503435956.000247');

  expect(posted).toEqual([[{ channel: '#ops', text: 'Up' }, signal]]);
  expect(result).toEqual({ provider: 'slack', provider_message_id: 'C1:1503435956.000247' });
  expect(logs).toEqual([{ level: 'info', message: 'slack accepted the message as C1:1503435956.000247' }]);
});

test('the log of a sandbox channel message says that nothing was sent', async () => {
  const { result, logs } = await run('sandbox', null);

  expect(result).toEqual({ provider: 'sandbox', provider_message_id: null });
  expect(logs).toEqual([{ level: 'info', message: 'sandbox: the message was checked and not sent' }]);
});

describe('the payload of team_chat_notify', () => {
  test.each([
    { channel: 'C024BE91L', text: 'x'.repeat(40_000) },
    { channel: '#général', text: ' <!channel> ', more: 1 },
  ])('can be %j', (payload) => {
    expect(issuesOf(teamChatNotify, payload)).toEqual([]);
  });

  test.each<object>([
    {},
    { channel: '', text: '' },
    { channel: 7, text: null },
    { channel: '#ops ', text: ' ' },
    { channel: 'x'.repeat(257), text: 'x'.repeat(40_001) },
  ])('must not be %j', (payload) => {
    expect(issuesOf(teamChatNotify, payload).map(({ path }) => path)).toEqual(['payload.channel', 'payload.text']);
  });
});
