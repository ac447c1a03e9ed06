import { join } from 'node:path';
import { relatedTo } from './changed-tests.js';
import { type Invocation, startTestPostgres, startTestRedis, withServers } from './test-servers.js';

/**
 * `npm test`: runs the tests against a new Postgres and Redis, or those of TEST_DATABASE_URL and TEST_REDIS_URL.
 * `-- --changed` runs only the tests that uncommitted changes affect, `-- --changed=REV` those that changes since a
 * commit affect. Resolves with the exit code of vitest when the servers have stopped and their files are deleted.
 */
export function test(invocation: Invocation): Promise<number> {
  const { root, argv, env } = invocation;
  const changed = argv.find((arg) => /^--changed(=|$)/.test(arg));
  const rest = argv.filter((arg) => arg !== changed);
  return withServers(invocation, async ({ dir, keep, vitest }) => {
    const related = changed === undefined ? null : relatedTo(root, changed.split('=')[1] ?? 'HEAD');
    const databaseUrl = env.TEST_DATABASE_URL || (await keep(startTestPostgres(dir)));
    const redisUrl = env.TEST_REDIS_URL || (await keep(startTestRedis(dir, env)));
    return vitest(rest, {
      TEST_DATABASE_URL: databaseUrl,
      TEST_REDIS_URL: redisUrl,
      // Where each app that a test starts finds the compiled code of those before it, with Node 22 or newer.
      NODE_COMPILE_CACHE: join(dir, 'compiled'),
      ...(related && { TEST_RELATED: related.join('\n') }),
    });
  });
}
