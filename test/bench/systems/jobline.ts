import { fileURLToPath } from 'node:url';
import type { Addresses } from '../peer.js';
import { startProcess } from '../processes.js';
import type { System } from '../system.js';
import { nodeArgsOf, post, register, startJoblineApi } from './jobline-api.js';
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

  async start({ dir, redisUrl, database }) {
    const account = await startJoblineApi({ dir, redisUrl, database }, 'bench_jobline');
    const { url, databaseUrl, process: api } = account;
    const shared = { DATABASE_URL: databaseUrl, REDIS_URL: redisUrl };
    const store = await openJoblineStore(databaseUrl, account.orgId);
    const addresses: Addresses = { ...emptyAddresses, http: { url, apiKey: account.apiKey } };
    const env = { BENCH_ADDRESSES: JSON.stringify(addresses) };
    const submitter = startProcess({ name: 'jobline load', script: submitScript, env, logDir: dir });
    await submitter.ready;

    return {
      submitter,
      processes: [api],
      jobs: {
        store,
        addSlowTenants: () => addSlowTenants(url),
        takesBatches: (await post(url, '/jobs/batch', {}, { 'X-API-Key': account.apiKey })).status === 400,
        async startWorker() {
          const env = { ...shared, HANDLERS_DIR: `${root}test/bench/handlers` };
          const worker = startProcess({
            name: 'jobline worker',
            script: `${root}apps/worker/dist/main.js`,
            nodeArgs: nodeArgsOf('worker'),
            env,
            logDir: dir,
          });
          await Promise.race([store.hasWorker(), worker.ready]);
          return worker;
        },
      },
      async stop() {
        await submitter.stop();
        await api.stop();
        await store.close();
      },
    };
  },
};

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
