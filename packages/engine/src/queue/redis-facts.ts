import { aborted } from './aborted.js';
import { connectConsumer } from './connection.js';

/** Facts that Redis reports about itself. A fact that it does not report, or that may not be read, is null. */
export interface RedisFacts {
  version: string | null;
  /** Its policy when its memory is full. */
  policy: string | null;
  /** Whether its data survives a restart. */
  isPersistent: boolean | null;
}

/** Reads the facts as soon as Redis answers, however long that takes. Returns null if the signal fires first. */
export async function readRedisFacts(redisUrl: string, signal: AbortSignal): Promise<RedisFacts | null> {
  const connection = connectConsumer(redisUrl);
  // The connections that use Redis report its errors.
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
