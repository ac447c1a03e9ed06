import type { Redis } from 'ioredis';
import { expect, it } from 'vitest';
import type { Link } from './guarded-connection.js';
import { createSignals } from './pubsub.js';

it('a cancel that Redis did not take is told when it answers again, once', async () => {
  const told: string[] = [];
  const listeners: (() => void)[] = [];
  let isAway = true;
  // The cast: nothing but publish is asked of it.
  const connection = { publish: async (_channel: string, token: string) => told.push(token) } as unknown as Redis;
  const ask: Link['ask'] = async (command) => (isAway ? null : command(connection));
  const link: Link = {
    ask,
    tell: (command) => void ask(command),
    onReady: (listener) => void listeners.push(listener),
    connection,
    close: () => undefined,
  };
  const answerAgain = () => {
    for (const listener of listeners) listener();
  };
  const signals = createSignals(link, { prefix: 'test', queues: [] });

  signals.tellCanceled('a token');
  await Promise.resolve(); // Redis is found to be away
  isAway = false;
  answerAgain();
  answerAgain();

  expect(told).toEqual(['a token']);
});
