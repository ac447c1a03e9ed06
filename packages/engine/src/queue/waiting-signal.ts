import type { EngineEvents } from '../events.js';
import { connectConsumer } from './connection.js';
import { waitingChannel } from './names.js';

/** Hears from every process that jobs wait in Postgres. */
export interface WaitingSignal {
  close(): void;
}

export function onWaiting(
  options: { redisUrl: string; prefix: string; events: EngineEvents },
  wake: () => void,
): WaitingSignal {
  const connection = connectConsumer(options.redisUrl);
  connection.on('error', (error) => options.events.emit('queue.error', { queue: 'waiting', error }));
  connection.on('message', wake);
  connection
    .subscribe(waitingChannel(options.prefix))
    .catch((error) => options.events.emit('queue.error', { queue: 'waiting', error }));
  return { close: () => connection.disconnect() };
}
