import { type Connection, connectConsumer } from './connection.js';

/** Facts that Redis reports about itself. A fact that it does not report, or that may not be read, is null. */
export interface RedisFacts {
  version: string | null;
  /** Its policy when its memory is full. */
  policy: string | null;
  /** Whether its data survives a restart. */
  isPersistent: boolean | null;
}

/** Reads the facts as soon as Redis answers, however long that takes. Returns null if the signal fires first. */
export function readRedisFacts(redisUrl: string, signal: AbortSignal): Promise<RedisFacts | null> {
  return onceRedisAnswers(redisUrl, signal, async (redis) => {
    try {
      const info = fieldsOf(await redis.info());
      const saves = await redis.config('GET', 'save').catch(nullIfForbidden);
      return {
        version: info.get('redis_version') ?? null,
        policy: info.get('maxmemory_policy') ?? null,
        isPersistent: isPersistent(info, saves),
      };
    } catch (error) {
      nullIfForbidden(error);
      return { version: null, policy: null, isPersistent: null };
    }
  });
}

/** Returns null if a managed Redis forbids the command. Throws every other error. */
function nullIfForbidden(error: unknown): null {
  if (error instanceof Error && /NOPERM|unknown command|not allowed/i.test(error.message)) return null;
  throw error;
}

function fieldsOf(info: string): ReadonlyMap<string, string> {
  return new Map(
    info.split(/\r?\n/).flatMap((line): [string, string][] => {
      const [, name, value] = /^(\w+):(.*)$/.exec(line) ?? [];
      return name === undefined || value === undefined ? [] : [[name, value.trim()]];
    }),
  );
}

/** Snapshots are known only if the configuration may be read. */
function isPersistent(info: ReadonlyMap<string, string>, saves: unknown): boolean | null {
  if (info.get('aof_enabled') === '1') return true;
  if (!Array.isArray(saves) || saves.length < 2) return null;
  return String(saves[1]).trim() !== '';
}

/**
 * Returns the answer of a command on a separate connection, as soon as Redis answers, however long that takes. Returns
 * null if the signal fires first.
 */
export async function onceRedisAnswers<T>(
  redisUrl: string,
  signal: AbortSignal,
  command: (redis: Connection) => Promise<T>,
): Promise<T | null> {
  const connection = connectConsumer(redisUrl);
  // The connections that use Redis report its errors.
  connection.on('error', () => undefined);
  try {
    return await Promise.race([command(connection), aborted(signal)]);
  } finally {
    connection.disconnect();
  }
}

/** Resolves when the signal fires. A command that waits for Redis does not end when its connection is closed. */
function aborted(signal: AbortSignal): Promise<null> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve(null);
    signal.addEventListener('abort', () => resolve(null), { once: true });
  });
}
