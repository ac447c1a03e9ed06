import { Logger, makeWorkerUtils, run as runWorker } from 'graphile-worker';
import pg from 'pg';
import type { Payload } from '../payload.js';
import { type Peer, POOL_SIZE, QUEUE } from '../peer.js';

const JOBS = 24;
const LOCAL_QUEUE = 500;
const silent = new Logger(() => () => undefined);

/** With the settings of its documentation page on performance. */
export const graphileWorker: Peer = {
  settings:
    `addJob and addJobs, pool ${POOL_SIZE}; concurrentJobs ${JOBS}, maxPoolSize ${JOBS + 1}, ` +
    `localQueue.size ${LOCAL_QUEUE}, completeJobBatchDelay and failJobBatchDelay 0`,

  async openStore({ databaseUrl }) {
    const utils = await makeWorkerUtils({ connectionString: databaseUrl, logger: silent });
    await utils.migrate();
    await utils.release();
    const db = new pg.Client({ connectionString: databaseUrl });
    await db.connect();
    return {
      // A finished job is deleted; a job that failed permanently stays.
      async hasUnfinished() {
        const { rowCount } = await db.query('SELECT 1 FROM graphile_worker._private_jobs LIMIT 1');
        return rowCount !== 0;
      },
      async fault() {
        const { rows } = await db.query('SELECT count(*)::int AS left FROM graphile_worker._private_jobs');
        return rows[0].left === 0 ? null : `${rows[0].left} left over`;
      },
      async clear() {
        await db.query('TRUNCATE graphile_worker._private_jobs');
      },
      close: () => db.end(),
    };
  },

  async openSubmitter({ databaseUrl }) {
    const utils = await makeWorkerUtils({ connectionString: databaseUrl, maxPoolSize: POOL_SIZE, logger: silent });
    return {
      async add(payload) {
        await utils.addJob(QUEUE, payload);
      },
      async addMany(payloads) {
        await utils.addJobs(payloads.map((payload) => ({ identifier: QUEUE, payload })));
      },
      close: async () => utils.release(),
    };
  },

  async openWorker({ databaseUrl }, run) {
    const runner = await runWorker({
      // The cast: only the submitter above creates jobs of this name.
      taskList: { [QUEUE]: (payload: unknown) => run(payload as Payload) },
      logger: silent,
      noHandleSignals: true,
      preset: {
        worker: {
          connectionString: databaseUrl,
          concurrentJobs: JOBS,
          maxPoolSize: JOBS + 1,
          localQueue: { size: LOCAL_QUEUE },
          completeJobBatchDelay: 0,
          failJobBatchDelay: 0,
        },
      },
    });
    return { close: () => runner.stop() };
  },
};
