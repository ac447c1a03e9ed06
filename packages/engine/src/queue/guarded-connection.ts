import type { EngineEvents } from '../events.js';
import { type Connection, connectProducer } from './connection.js';
import { inTime } from './in-time.js';

/** A connection that is asked only while it answers. */
export interface GuardedConnection {
  /**
   * What the command answers; null if Redis is away, did not answer in time, or has not answered since it last did not.
   * Then the command may have been carried out all the same. Never throws because of Redis.
   */
  request<T>(command: (connection: Connection) => Promise<T>): Promise<T | null>;
  /** The same, and nobody waits for it. */
  send(command: (connection: Connection) => Promise<unknown>): void;
  /** Calls back whenever Redis can be asked again. */
  onReady(listener: () => void): void;
  /** For BullMQ, which wants a connection of its own kind. */
  readonly connection: Connection;
  close(): void;
}

const PING_EVERY_MS = 250;
/** A command that nobody waits for any more ends after so many times its limit. */
const PATIENCE = 4;

/** No option of ioredis does this alone: before the first connection, or with a server that hangs, a command waits. */
export function createGuardedConnection(options: {
  redisUrl: string;
  timeoutMs: number;
  events: EngineEvents;
  /** What its errors are told under. */
  name?: string;
}): GuardedConnection {
  const { events, timeoutMs, name = 'producer' } = options;
  const connection = connectProducer(options.redisUrl, PATIENCE * timeoutMs);
  const listeners: (() => void)[] = [];
  let state: 'open' | 'suspended' | 'closed' = 'open';
  let ping: NodeJS.Timeout | undefined;

  connection.on('error', (error) => events.emit('queue.error', { queue: name, error }));
  connection.on('ready', notifyReady);

  function notifyReady(): void {
    for (const listener of listeners) listener();
  }

  /** Until a PING answers. */
  function suspend(): void {
    if (state !== 'open') return;
    state = 'suspended';
    ping = setInterval(() => {
      if (connection.status !== 'ready') return;
      connection.ping().then(
        () => {
          clearInterval(ping);
          if (state !== 'suspended') return;
          state = 'open';
          notifyReady();
        },
        // Still away: the next ping asks again. What it is was told when the link was suspended.
        () => undefined,
      );
    }, PING_EVERY_MS);
  }

  async function request<T>(command: (connection: Connection) => Promise<T>): Promise<T | null> {
    if (state !== 'open' || connection.status !== 'ready') return null;
    try {
      return await inTime(command(connection), timeoutMs);
    } catch (error) {
      events.emit('queue.error', { queue: name, error });
      suspend();
      return null;
    }
  }

  return {
    request,
    send: (command) => void request(command),
    onReady: (listener) => void listeners.push(listener),
    connection,
    close() {
      state = 'closed';
      clearInterval(ping);
      connection.disconnect();
    },
  };
}
