import type { Redis } from 'ioredis';
import { expect, it } from 'vitest';
import type { GuardedConnection } from './guarded-connection.js';
import { createPubSub } from './pubsub.js';

it('a cancellation that Redis did not accept is published once when it answers again', async () => {
  const published: string[] = [];
  const listeners: (() => void)[] = [];
  let isDown = true;
  // The cast: only publish is called.
  const connection = { publish: async (_channel: string, token: string) => published.push(token) } as unknown as Redis;
  const request: GuardedConnection['request'] = async (command) => (isDown ? null : command(connection));
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
  const pubsub = createPubSub(guarded, { prefix: 'test' });

  pubsub.publishCanceled('a token');
  await Promise.resolve(); // The publish fails.
  isDown = false;
  answerAgain();
  answerAgain();

  expect(published).toEqual(['a token']);
});
