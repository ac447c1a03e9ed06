import { createDb } from '@jobline/db';
import { pause } from '@jobline/runtime';
import type { AppProcess } from '../../../harness/app-process.js';
import { startProxy } from '../../../harness/proxy.js';
import { until } from '../../../harness/until.js';
import type { Deployment } from '../deployment.js';
import { type Fault, OUTAGE_MS } from '../fault.js';

/** The longest pause of the others that is accepted. */
const MAX_PAUSE_MS = 15_000;

/**
 * A process is frozen between two statements of a transaction: after the one that contains `statement`. It is an additional
 * process, which callers no longer use when it is frozen.
 */
function frozenAfter(
  name: string,
  statement: string,
  add: (deployment: Deployment, url: string) => Promise<AppProcess>,
  prepare: (deployment: Deployment, app: AppProcess) => Promise<void> = async () => undefined,
): Fault {
  return {
    name,
    // Longer than the fault, so that there are always jobs to run.
    loadSeconds: 60,
    async cause({ deployment, records, say }) {
      const proxy = await startProxy(deployment.directUrl);
      const app = await add(deployment, proxy.url);
      await prepare(deployment, app);
      await proxy.holdAfter(statement);
      app.freeze();
      for (const list of [deployment.apis, deployment.workers]) {
        list.splice(0, list.length, ...list.filter((one) => one !== app));
      }
      const longestMs = await longestPause(() => records.counts().answered);
      say(`the longest time without a call was ${Math.round(longestMs)} ms`);
      app.thaw();
      proxy.resume();
      await app.kill('SIGTERM');
      await proxy.close();
      if (longestMs > MAX_PAUSE_MS) throw new Error(`nothing ran for ${Math.round(longestMs)} ms`);
    },
  };
}

/** The longest time without a call during the outage. */
async function longestPause(calls: () => number): Promise<number> {
  const end = performance.now() + OUTAGE_MS;
  let [count, since, longestMs] = [calls(), performance.now(), 0];
  while (performance.now() < end) {
    await pause(50);
    longestMs = Math.max(longestMs, performance.now() - since);
    if (calls() !== count) [count, since] = [calls(), performance.now()];
  }
  return longestMs;
}

async function addWorker(deployment: Deployment, url: string): Promise<AppProcess> {
  await deployment.addWorker({ env: { DATABASE_URL: url } });
  return until('the worker', () => deployment.workers.at(-1));
}

async function addApi(deployment: Deployment, url: string): Promise<AppProcess> {
  await deployment.addApi({ env: { DATABASE_URL: url } });
  return until('the API', () => deployment.apis.at(-1));
}

/** Gives a process the lease of the tasks that one process does for all: the others are frozen until it has taken the lease. */
async function takeLease({ apis, workers, directUrl }: Deployment, app: AppProcess): Promise<void> {
  const others = [...apis, ...workers].filter((one) => one !== app);
  const db = createDb({ url: directUrl, poolSize: 1, onIdleError: () => undefined });
  const holder = async () => (await db.$queryRaw<object[]>`SELECT holder FROM leases WHERE name = 'maintenance'`)[0];
  const before = JSON.stringify(await holder());
  for (const one of others) one.freeze();
  await until('another holder of the lease', async () => JSON.stringify(await holder()) !== before).finally(() => {
    for (const one of others) one.thaw();
  });
  await db.$disconnect();
}

export const frozenClaim = frozenAfter('worker frozen while it claims limited jobs', 'AS "isFree"', addWorker);
export const frozenPlanner = frozenAfter(
  'API frozen while it makes jobs of schedules',
  'UPDATE schedules s SET next_run_at',
  addApi,
  takeLease,
);
export const frozenDeliverer = frozenAfter(
  'API frozen while it plans deliveries',
  'INSERT INTO webhook_deliveries',
  addApi,
  takeLease,
);
export const frozenSubmission = frozenAfter(
  'API frozen while it stores a batch',
  'INSERT INTO idempotency_keys',
  addApi,
);
