import { createGuardedConnection } from './guarded-connection.js';
import { budgetPrefix } from './names.js';
import type { ProducerOptions } from './producer.js';

/** A store in which all processes together count the calls that are rate limited. No job depends on it. */
export type LimitStore = ReturnType<typeof createLimitStore>;

const TIMEOUT_MS = 250;

export function createLimitStore({
  redisUrl,
  prefix,
  events,
  timeoutMs = TIMEOUT_MS,
}: Omit<ProducerOptions, 'queues'>) {
  const guarded = createGuardedConnection({ redisUrl, timeoutMs, events, name: 'limits' });
  return {
    /** Returns the prefix of the keys of a budget. */
    prefixOf: (budget: string): string => budgetPrefix(prefix, budget),
    /**
     * Runs a script on one key. Rejects immediately or within `timeoutMs` if Redis does not answer; the script may have run in
     * that case.
     */
    async eval(script: string, { keys, arguments: args }: { keys: string[]; arguments: string[] }): Promise<unknown> {
      // Wrapped in an object, because a script may return null.
      const answer = await guarded.request(async (redis) => ({
        value: await redis.eval(script, keys.length, ...keys, ...args),
      }));
      if (!answer) throw new Error('Redis does not answer');
      return answer.value;
    },
    close: guarded.close,
  };
}
