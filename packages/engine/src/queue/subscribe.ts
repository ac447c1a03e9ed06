import type { EngineEvents } from '../events.js';
import { connectConsumer } from './connection.js';

/** Hears what processes tell each other by way of Redis. What is said while Redis is away is never heard. */
export interface Listening {
  /** Whether what is said now is heard, as far as one can tell. */
  isHearing(): boolean;
  close(): void;
}

/** Calls back with every message on a channel. */
export function listen(
  options: { redisUrl: string; events: EngineEvents },
  listeners: ReadonlyMap<string, (message: string) => void>,
): Listening {
  const tell = (error: unknown) => options.events.emit('queue.error', { queue: 'signals', error });
  const connection = connectConsumer(options.redisUrl);
  connection.on('error', tell);
  connection.on('message', (channel, message) => listeners.get(channel)?.(message));
  connection.subscribe(...listeners.keys()).catch(tell);
  return { isHearing: () => connection.status === 'ready', close: () => connection.disconnect() };
}
