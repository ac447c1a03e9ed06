import { fileURLToPath } from 'node:url';
import type { Addresses } from '../peer.js';
import { groupOf } from '../process-group.js';
import { startProcess } from '../processes.js';
import type { Services } from '../services.js';
import type { Jobs, RunningSystem, System } from '../system.js';
import { nodeArgsOf, post, register, startApiProcess, startJoblineApi } from './jobline-api.js';
import { openJoblineStore } from './jobline-store.js';

const root = fileURLToPath(new URL('../../../../', import.meta.url));
const submitScript = fileURLToPath(new URL('../submit-process.js', import.meta.url));

/**
 * The product as operators run it: two processes, configured by their environment, called over HTTP with an API key.
 */
export const jobline: System = {
  name: 'jobline',
  settings:
    'API and worker as in the images (NODE_ENV=production, LOG_LEVEL=info, all other settings at their defaults except ' +
    'for the rate limit), one of each; HTTP with an API key; a custom no-op handler',
  start: (services) => startJobline(services, 1),
};

/** Starts `count` APIs, each with its own load generator. Later starts as many workers. */
export async function startJobline(
  { dir, redisUrl, database }: Pick<Services, 'dir' | 'redisUrl' | 'database'>,
  count: number,
): Promise<RunningSystem & { jobs: Jobs }> {
  const numbers = Array.from({ length: count }, (_, n) => n + 1);
  const account = await startJoblineApi({ dir, redisUrl, database }, 'bench_jobline');
  const { url, databaseUrl } = account;
  const others = await Promise.all(
    numbers.slice(1).map((n) => startApiProcess({ dir, redisUrl, databaseUrl, name: `jobline api ${n}` })),
  );
  const apis = [account, ...others];
  const store = await openJoblineStore(databaseUrl, account.orgId);
  const submitters = apis.map((api, n) => {
    const addresses: Addresses = { ...emptyAddresses, http: { url: api.url, apiKey: account.apiKey } };
    const submitEnv = { BENCH_ADDRESSES: JSON.stringify(addresses) };
    return startProcess({
      name: n === 0 ? 'jobline load' : `jobline load ${n + 1}`,
      script: submitScript,
      env: submitEnv,
      logDir: dir,
    });
  });
  const submitter = groupOf('jobline load', submitters);
  await submitter.ready;
  const api = groupOf(
    'jobline api',
    apis.map(({ process }) => process),
  );

  return {
    submitter,
    processes: [api],
    jobs: {
      store,
      addSlowTenants: () => addSlowTenants(url),
      takesBatches: (await post(url, '/jobs/batch', {}, { 'X-API-Key': account.apiKey })).status === 400,
      async startWorker() {
        const place = { DATABASE_URL: databaseUrl, REDIS_URL: redisUrl };
        const workers = numbers.map((n) =>
          startProcess({
            name: n === 1 ? 'jobline worker' : `jobline worker ${n}`,
            script: `${root}apps/worker/dist/main.js`,
            nodeArgs: nodeArgsOf('worker'),
            env: { ...place, HANDLERS_DIR: `${root}test/bench/handlers` },
            logDir: dir,
          }),
        );
        const worker = groupOf('jobline worker', workers);
        await Promise.race([store.hasWorkers(count), worker.ready]);
        return worker;
      },
    },
    async stop() {
      await submitter.stop();
      await api.stop();
      await store.close();
    },
  };
}

const SLOW_TENANTS = 10;
const JOBS_PER_TENANT = 1_000;

/** Their jobs last longer than the measurement, and each tenant has as many as its share of the slots needs. */
async function addSlowTenants(url: string): Promise<void> {
  const jobs = Array.from({ length: JOBS_PER_TENANT }, () => ({ type: 'bench_slow', payload: {} }));
  for (let n = 0; n < SLOW_TENANTS; n++) {
    const { apiKey } = await register(url);
    const { status } = await post(url, '/jobs/batch', { jobs }, { 'X-API-Key': apiKey });
    if (status !== 202) throw new Error(`POST /jobs/batch got ${status}`);
  }
}

const emptyAddresses = { databaseUrl: '', redisUrl: '' };
