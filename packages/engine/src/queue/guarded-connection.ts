import type { EngineEvents } from '../reporting/events.js';
import { type Connection, connectProducer } from './connection.js';

/** A connection that is used only while Redis answers. */
export type GuardedConnection = ReturnType<typeof createGuardedConnection>;

const PING_EVERY_MS = 250;
/** A command that is no longer awaited ends after this multiple of the time limit. */
const ABANDONED_LIMIT_FACTOR = 4;

/**
 * Creates a guarded connection. No option of ioredis is enough: before the first connection, or if the server hangs, a
 * command waits.
 */
export function createGuardedConnection(options: {
  redisUrl: string;
  timeoutMs: number;
  events: EngineEvents;
  /** The name of this connection in errors and metrics. */
  name?: string;
}) {
  const { events, timeoutMs, name = 'producer' } = options;
  const connection = connectProducer(options.redisUrl, ABANDONED_LIMIT_FACTOR * timeoutMs);
  const listeners: (() => void)[] = [];
  let state: 'open' | 'suspended' | 'closed' = 'open';
  let ping: NodeJS.Timeout | undefined;

  connection.on('error', (error) => events.emit('queue.error', { queue: name, error }));
  connection.on('ready', notifyReady);

  function notifyReady(): void {
    for (const listener of listeners) listener();
  }

  /** Rejects all requests until a PING is answered. */
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
        // Redis is still down: the next PING tries again. The error was reported when the connection was suspended.
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
    /**
     * Returns the answer of the command, or null if Redis is down, did not answer in time, or has not answered since the
     * last timeout. In that case the command may have been executed. Never throws because of Redis.
     */
    request,
    /** Sends a command without waiting for its answer. */
    send: (command: (connection: Connection) => Promise<unknown>): void => void request(command),
    /** Calls back whenever Redis becomes available again. */
    onReady: (listener: () => void): void => void listeners.push(listener),
    /** The underlying connection, which BullMQ needs. */
    connection,
    close(): void {
      state = 'closed';
      clearInterval(ping);
      connection.disconnect();
    },
  };
}

/** Number of steps into which the time limit is divided. */
const STEPS = 5;

/**
 * Rejects if `work` does not settle within `ms` of time in which this process could have received it. While the event
 * loop is busy, at most one step passes: an answer that waits in the buffer of a socket is not late.
 */
export function inTime<T>(work: Promise<T>, ms: number): Promise<T> {
  return new Promise((resolve, reject) => {
    let left = STEPS;
    let timer = setTimeout(step, ms / STEPS);

    function step(): void {
      left--;
      if (left > 0) timer = setTimeout(step, ms / STEPS);
      // The sockets are read once more before.
      else setImmediate(() => reject(new Error(`no answer within ${ms} ms`)));
    }

    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
