import type { EngineEvents } from '../events.js';
import { connectConsumer } from './connection.js';

/** Hears what processes tell each other by way of Redis. What is said while Redis is away is never heard. */
export interface Subscription {
  /** Whether what is said now is heard, as far as one can tell. */
  isConnected(): boolean;
  close(): void;
}

/** Calls back with every message on a channel. */
export function subscribe(
  options: { redisUrl: string; events: EngineEvents },
  listeners: ReadonlyMap<string, (message: string) => void>,
): Subscription {
  const onError = (error: unknown) => options.events.emit('queue.error', { queue: 'signals', error });
  const connection = connectConsumer(options.redisUrl);
  connection.on('error', onError);
  connection.on('message', (channel, message) => listeners.get(channel)?.(message));
  connection.subscribe(...listeners.keys()).catch(onError);
  return { isConnected: () => connection.status === 'ready', close: () => connection.disconnect() };
}
