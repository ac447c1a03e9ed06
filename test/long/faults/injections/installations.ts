import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { migrate } from '@jobline/db/migrate';
import { pause } from '@jobline/runtime';
import { spawnApi, spawnWorker } from '../../../harness/app-process.js';
import { until } from '../../../harness/until.js';
import { ROOT } from '../deployment.js';
import type { Fault } from '../fault.js';
import { send } from '../history/http.js';
import type { Servers } from '../servers.js';

const SHIFT_CLOCK = fileURLToPath(new URL('../shift-clock.mjs', import.meta.url));
const SHIFTS_MIN = [5, -5, 0, 5];

/** The processes start in pairs of an API and a worker. The clocks of Postgres and Redis are those of the machine. */
export const differentClocks: Fault = {
  name: 'clocks 5 minutes apart, and a worker `kill -9`',
  loadSeconds: 20,
  deployment: async () => ({
    envOf: (n) => ({
      NODE_OPTIONS: `--import=${SHIFT_CLOCK}`,
      CLOCK_SHIFT_MS: String((SHIFTS_MIN[n % SHIFTS_MIN.length] ?? 0) * 60_000),
    }),
  }),
  async cause({ deployment }) {
    const [worker] = deployment.workers;
    if (worker) await deployment.remove(worker, 'SIGKILL');
    await deployment.addWorker();
  },
};

/** The other installation has a tenth of the jobs. */
const OTHER_SHARE = 10;
const SAME_PREFIX_MS = 10_000;

/** An installation with its own prefix runs its jobs too. One with the same prefix is not ready, and says why. */
export const sharedRedis: Fault = {
  name: 'two installations on one Redis, and for 10 s a third with the prefix of the first',
  loadSeconds: 60,
  async cause({ servers, startOther, records, say }) {
    const from = Date.now();
    const other = await startOther('other', Math.ceil(records.counts().accepted / OTHER_SHARE));
    const third = await startIntruder(servers);
    say('the third installation is not ready');
    await pause(SAME_PREFIX_MS);
    await third.end();
    const { summary, problems } = await other.finish({ from, to: Date.now() });
    if (summary.findings.size > 0 || problems.length > 0)
      throw new Error(`the other installation: ${JSON.stringify([summary.examples, problems])}`);
  },
};

/** Resolves when both of its processes have logged that the prefix is in use. */
async function startIntruder(servers: Servers): Promise<{ end(): Promise<void> }> {
  const { url, directUrl } = await servers.createDatabase();
  await migrate(directUrl, join(ROOT, 'prisma/migrations'));
  const env = {
    DATABASE_URL: url,
    REDIS_URL: servers.redisUrl,
    JWT_SECRET: 'another secret of the tests, long enough for HS256',
    QUEUE_PREFIX: 'jobline',
  };
  const [api, worker] = await Promise.all([spawnApi(env), spawnWorker(env)]);
  for (const app of [api, worker])
    await until('it to log that the prefix is in use', () => app.output().includes('another installation uses'));
  const readiness = await send(`${api.url}/readyz`);
  if (readiness.status !== 503) throw new Error(`it is ready: ${JSON.stringify(readiness)}`);
  return { end: async () => void (await Promise.all([api, worker].map((app) => app.kill('SIGTERM')))) };
}
