import { join } from 'node:path';
import { PlainError } from '@jobline/devstack';
import { findPooler, startPooler } from './pooler.js';
import { CLUSTER_SETTINGS, joinCluster } from './redis-cluster.js';
import { type Invocation, startTestPostgres, startTestRedis, withServers } from './test-servers.js';

/** The tests of whole apps and of the job endpoints. */
const DEFAULT_TESTS = ['test/journey', 'test/api/jobs'];

/**
 * `npm run test:beyond`: runs these tests, or the named ones, with two APIs and four workers, against a Redis Cluster
 * of three masters, or through PgBouncer. `test-topologies.mjs` handles other versions of Node, before it loads this
 * file.
 */
export function testTopologies(invocation: Invocation): Promise<number> {
  const { argv, env } = invocation;
  const [what, ...named] = argv;
  const tests = named.length > 0 ? named : DEFAULT_TESTS;
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
      // A time zone other than UTC, because the pooler drops the zone that the apps ask for.
      const url = env.TEST_DATABASE_URL || (await keep(startTestPostgres(dir, { timezone: 'Africa/Nairobi' })));
      const redis = env.TEST_REDIS_URL || (await keep(startTestRedis(dir, env)));
      const pooler = await keep(startPooler(program, url, dir));
      return vitest(tests, { TEST_DATABASE_URL: url, TEST_REDIS_URL: redis, TEST_POOLER_URL: pooler });
    }
    throw new PlainError(
      'Say what to run the tests on: `npm run test:beyond -- machines`, `-- cluster`, `-- pooler`, `-- node20`, `-- node24` or `-- node26`.',
    );
  });
}
