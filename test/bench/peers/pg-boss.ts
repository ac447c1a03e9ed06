import pg from 'pg';
import { PgBoss } from 'pg-boss';
import type { Payload } from '../payload.js';
import { type Addresses, type Peer, POOL_SIZE, QUEUE } from '../peer.js';

/** Chosen by experiment: smaller batches and fewer or more workers were slower. */
const BATCH_SIZE = 1_000;
const WORKERS = 4;

/**
 * A worker that got a full batch fetches the next one immediately. Without notifications, which wake an idle worker sooner,
 * but let only one transaction commit at a time.
 */
export const pgBoss: Peer = {
  settings:
    `send and insert; work() with localConcurrency ${WORKERS}, batchSize ${BATCH_SIZE}, burstWhenBatchFull, ` +
    `pollingIntervalSeconds 0.5 (its minimum), pool ${POOL_SIZE}`,

  async openStore(addresses) {
    const boss = await open(addresses);
    await boss.createQueue(QUEUE);
    await boss.stop({ graceful: false });
    const db = new pg.Client({ connectionString: addresses.databaseUrl });
    await db.connect();
    return {
      async hasUnfinished() {
        const { rowCount } = await db.query(
          `SELECT 1 FROM pgboss.job WHERE name = $1 AND state < 'completed' LIMIT 1`,
          [QUEUE],
        );
        return rowCount !== 0;
      },
      async fault(submitted) {
        const { rows } = await db.query(
          `SELECT count(*)::int AS done FROM pgboss.job WHERE name = $1 AND state = 'completed'`,
          [QUEUE],
        );
        return rows[0].done === submitted ? null : `${rows[0].done} of ${submitted} completed`;
      },
      async clear() {
        await db.query('TRUNCATE pgboss.job');
      },
      close: () => db.end(),
    };
  },

  async openSubmitter(addresses) {
    const boss = await open(addresses);
    return {
      async add(payload) {
        if ((await boss.send(QUEUE, payload)) === null) throw new Error('pg-boss did not accept the job');
      },
      async addMany(payloads) {
        await boss.insert(
          QUEUE,
          payloads.map((data) => ({ data })),
        );
      },
      close: () => boss.stop({ graceful: false }),
    };
  },

  async openWorker(addresses, run) {
    const boss = await open(addresses);
    await boss.work<Payload>(
      QUEUE,
      { localConcurrency: WORKERS, batchSize: BATCH_SIZE, burstWhenBatchFull: true, pollingIntervalSeconds: 0.5 },
      async (jobs) => {
        for (const { data } of jobs) run(data);
      },
    );
    return { close: () => boss.stop({ graceful: true, timeout: 5_000 }) };
  },
};

async function open({ databaseUrl }: Addresses): Promise<PgBoss> {
  const boss = new PgBoss({ connectionString: databaseUrl, max: POOL_SIZE, schedule: false });
  boss.on('error', (error) => console.error(error));
  await boss.start();
  return boss;
}
