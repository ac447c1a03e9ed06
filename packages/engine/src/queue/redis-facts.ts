import { aborted } from './aborted.js';
import { connectConsumer } from './connection.js';

/** What a Redis says of itself; what it does not say, or does not let us ask, is null. */
export interface RedisFacts {
  version: string | null;
  /** What it does when its memory is full. */
  policy: string | null;
  /** Whether its data survives its restart. */
  isPersistent: boolean | null;
}

/** Asks once it answers, however long that takes; null if the signal fires before. */
export async function readRedisFacts(redisUrl: string, signal: AbortSignal): Promise<RedisFacts | null> {
  const connection = connectConsumer(redisUrl);
  // Whoever works with Redis tells of it.
  connection.on('error', () => undefined);
  try {
    const answer = await Promise.race([connection.info(), aborted(signal)]);
    if (answer === null) return null;
    const info = fieldsOf(answer);
    const saves = await connection.config('GET', 'save').catch(nullIfForbidden);
    return {
      version: info.get('redis_version') ?? null,
      policy: info.get('maxmemory_policy') ?? null,
      isPersistent: isPersistent(info, saves),
    };
  } catch (error) {
    nullIfForbidden(error);
    return { version: null, policy: null, isPersistent: null };
  } finally {
    connection.disconnect();
  }
}

/** Managed ones let nobody ask some of it; every other failure is one. */
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

/** Its snapshots can only be known where its configuration may be read. */
function isPersistent(info: ReadonlyMap<string, string>, saves: unknown): boolean | null {
  if (info.get('aof_enabled') === '1') return true;
  if (!Array.isArray(saves) || saves.length < 2) return null;
  return String(saves[1]).trim() !== '';
}
