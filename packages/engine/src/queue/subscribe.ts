import type { EngineEvents } from '../reporting/events.js';
import { connectConsumer } from './connection.js';

/**
 * A subscription to messages of other processes through Redis. Messages that are published while Redis is down are
 * lost.
 */
export interface Subscription {
  /** Whether messages are received now, as far as this process knows. */
  isConnected(): boolean;
  close(): void;
}

/** Calls back with every message of the given channels. */
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
