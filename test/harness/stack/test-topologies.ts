import { join } from 'node:path';
import { PlainError } from '@jobline/devstack';
import { findPooler, startPooler } from './pooler.js';
import { CLUSTER_SETTINGS, joinCluster } from './redis-cluster.js';
import { type Invocation, startTestPostgres, startTestRedis, withServers } from './test-servers.js';

/** What goes through whole apps, and through the endpoints of jobs. */
const BEYOND = ['test/journey', 'test/api/jobs'];

/**
 * `npm run test:beyond`: those, or the ones that are named, with two APIs and four workers, against a Redis Cluster of
 * three masters, or through PgBouncer. Other versions of Node are chosen before anything of ours is loaded, in
 * `bin/test-beyond.mjs`.
 */
export function testTopologies(invocation: Invocation): Promise<number> {
  const { argv, env } = invocation;
  const [what, ...named] = argv;
  const tests = named.length > 0 ? named : BEYOND;
  return withServers(invocation, async ({ dir, keep, vitest }) => {
    if (what === 'machines') {
      const url = env.TEST_DATABASE_URL || (await keep(startTestPostgres(dir)));
      const redis = env.TEST_REDIS_URL || (await keep(startTestRedis(dir, env)));
      return vitest(tests, { TEST_DATABASE_URL: url, TEST_REDIS_URL: redis, TEST_MACHINES: 'several' });
    }
    if (what === 'cluster') {
      const url = env.TEST_DATABASE_URL || (await keep(startTestPostgres(dir)));
      const nodes = [1, 2, 3].map((n) => startTestRedis(join(dir, `node-${n}`), env, CLUSTER_SETTINGS));
      await Promise.all(nodes.map(keep));
      const cluster = await joinCluster(await Promise.all(nodes));
      return vitest(tests, { TEST_DATABASE_URL: url, TEST_REDIS_URL: cluster });
    }
    if (what === 'pooler') {
      const program = findPooler(env);
      // Another zone than UTC: the pooler drops the one that the apps ask for.
      const url = env.TEST_DATABASE_URL || (await keep(startTestPostgres(dir, { timezone: 'Africa/Nairobi' })));
      const redis = env.TEST_REDIS_URL || (await keep(startTestRedis(dir, env)));
      const pooler = await keep(startPooler(program, url, dir));
      return vitest(tests, { TEST_DATABASE_URL: url, TEST_REDIS_URL: redis, TEST_POOLER_URL: pooler });
    }
    throw new PlainError(
      'Name what the tests are to run on: `npm run test:beyond -- machines`, `-- cluster`, `-- pooler`, `-- node20`, `-- node24` or `-- node26`.',
    );
  });
}
