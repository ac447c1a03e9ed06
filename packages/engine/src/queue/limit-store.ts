import type { EngineEvents } from '../events.js';
import { createGuardedConnection } from './guarded-connection.js';
import { budgetPrefix } from './names.js';

/** Where processes count together what their callers may do only so often. Nothing is lost when it is. */
export interface LimitStore {
  /** What the keys of a budget begin with. */
  prefixOf(budget: string): string;
  /**
   * Runs a script at one key: as node-redis has it, because so rate-limiter-flexible can ask. Rejects, at once or within
   * `timeoutMs`, when Redis does not answer; it may have run all the same.
   */
  eval(script: string, options: { keys: string[]; arguments: string[] }): Promise<unknown>;
  close(): void;
}

const TIMEOUT_MS = 250;

export interface LimitStoreOptions {
  redisUrl: string;
  prefix: string;
  events: EngineEvents;
  /** Absent: 250 ms. */
  timeoutMs?: number;
}

export function createLimitStore(options: LimitStoreOptions): LimitStore {
  const { redisUrl, prefix, events, timeoutMs = TIMEOUT_MS } = options;
  const guarded = createGuardedConnection({ redisUrl, timeoutMs, events, name: 'limits' });
  return {
    prefixOf: (budget) => budgetPrefix(prefix, budget),
    async eval(script, { keys, arguments: args }) {
      // In an object of its own, because a script may answer null.
      const answer = await guarded.request(async (redis) => ({
        value: await redis.eval(script, keys.length, ...keys, ...args),
      }));
      if (!answer) throw new Error('Redis does not answer');
      return answer.value;
    },
    close: guarded.close,
  };
}
