import { startTestPostgres, startTestRedis, type Told, withServers } from './test-servers.js';

/**
 * `npm test`: every test against a Postgres and a Redis of its own, or those of TEST_DATABASE_URL and TEST_REDIS_URL.
 * Resolves with vitest's exit code once everything that was started has ended and its files are gone.
 */
export function test({ argv, env }: Told): Promise<number> {
  return withServers(env, async ({ dir, keep, vitest }) => {
    const databaseUrl = env.TEST_DATABASE_URL || (await keep(startTestPostgres(dir)));
    const redisUrl = env.TEST_REDIS_URL || (await keep(startTestRedis(dir, env)));
    return vitest(argv, { TEST_DATABASE_URL: databaseUrl, TEST_REDIS_URL: redisUrl });
  });
}
