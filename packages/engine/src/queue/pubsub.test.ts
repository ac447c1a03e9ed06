import type { Redis } from 'ioredis';
import { expect, it } from 'vitest';
import type { GuardedConnection } from './guarded-connection.js';
import { createPubSub } from './pubsub.js';

it('a cancel that Redis did not take is published when it answers again, once', async () => {
  const published: string[] = [];
  const listeners: (() => void)[] = [];
  let isAway = true;
  // The cast: nothing but publish is asked of it.
  const connection = { publish: async (_channel: string, token: string) => published.push(token) } as unknown as Redis;
  const request: GuardedConnection['request'] = async (command) => (isAway ? null : command(connection));
  const guarded: GuardedConnection = {
    request,
    send: (command) => void request(command),
    onReady: (listener) => void listeners.push(listener),
    connection,
    close: () => undefined,
  };
  const answerAgain = () => {
    for (const listener of listeners) listener();
  };
  const pubsub = createPubSub(guarded, { prefix: 'test', queues: [] });

  pubsub.publishCanceled('a token');
  await Promise.resolve(); // Redis is found to be away
  isAway = false;
  answerAgain();
  answerAgain();

  expect(published).toEqual(['a token']);
});
