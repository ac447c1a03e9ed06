import { join } from 'node:path';
import { relatedTo } from './changed-tests.js';
import { decideFlaky, readResult } from './flaky.js';
import { choosePart } from './part.js';
import { type Invocation, startTestPostgres, startTestRedis, withServers } from './test-servers.js';

/**
 * `npm test`: runs the fast part of the tests, or the named files, against a new Postgres and Redis, or those of
 * TEST_DATABASE_URL and TEST_REDIS_URL. `-- --changed` runs only the tests that uncommitted changes affect,
 * `-- --changed=REV` those that changes since a commit affect. With TEST_PART=all (`npm run test:all`) it runs every
 * test except the long forms, with `-- --rest` those of them that are not in the fast part. Resolves with the exit code
 * when the servers have stopped and their files are deleted.
 */
export function test(invocation: Invocation): Promise<number> {
  const { root, argv, env } = invocation;
  return withServers(invocation, async ({ dir, keep, vitest }) => {
    const { part, args } = choosePart(argv, env.TEST_PART);
    const changed = args.find((arg) => /^--changed(=|$)/.test(arg));
    const rest = args.filter((arg) => arg !== changed);
    const related = changed === undefined ? null : relatedTo(root, changed.split('=')[1] ?? 'HEAD');
    const databaseUrl = env.TEST_DATABASE_URL || (await keep(startTestPostgres(dir)));
    const redisUrl = env.TEST_REDIS_URL || (await keep(startTestRedis(dir, env)));
    const run = async (name: string, words: readonly string[], more: NodeJS.ProcessEnv) => {
      const resultFile = (name === 'first' && env.TEST_RESULT_FILE) || join(dir, `${name}.json`);
      const exitCode = await vitest(words, {
        TEST_DATABASE_URL: databaseUrl,
        TEST_REDIS_URL: redisUrl,
        // Where each app that a test starts finds the compiled code of those before it, with Node 22 or newer.
        NODE_COMPILE_CACHE: join(dir, 'compiled'),
        TEST_RESULT_FILE: resultFile,
        ...more,
      });
      return { exitCode, result: readResult(resultFile) };
    };
    const first = await run('first', rest, { TEST_PART: part, ...(related && { TEST_RELATED: related.join('\n') }) });
    if (!env.TEST_FLAKY_FILE) return first.exitCode;
    const again = (path: string) => run('second', [path], { TEST_PART: 'all' });
    return decideFlaky({ ...first, again, noteFile: env.TEST_FLAKY_FILE, say: console.log });
  });
}
