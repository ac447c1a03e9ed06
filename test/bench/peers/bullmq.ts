import { Queue, Worker } from 'bullmq';
import { Redis } from 'ioredis';
import type { Payload } from '../payload.js';
import { CONCURRENCY, type Peer, QUEUE } from '../peer.js';

/** Raw BullMQ, without records, checks and logs. */
export const bullmq: Peer = {
  settings: `concurrency ${CONCURRENCY}, removeOnComplete and removeOnFail, one connection per end`,

  async openStore({ redisUrl }) {
    const redis = new Redis(redisUrl);
    const queue = new Queue(QUEUE, { connection: redis });
    return {
      async hasUnfinished() {
        const { waiting = 0, active = 0, delayed = 0 } = await queue.getJobCounts('waiting', 'active', 'delayed');
        return waiting + active + delayed > 0;
      },
      async fault() {
        const failed = await queue.getFailedCount();
        return failed > 0 ? `${failed} failed` : null;
      },
      clear: () => queue.obliterate({ force: true }),
      async close() {
        await queue.close();
        redis.disconnect();
      },
    };
  },

  async openSubmitter({ redisUrl }) {
    const redis = new Redis(redisUrl);
    const queue = new Queue<Payload>(QUEUE, {
      connection: redis,
      skipMetasUpdate: true,
      defaultJobOptions: { removeOnComplete: true, removeOnFail: true },
    });
    await queue.waitUntilReady();
    return {
      async add(payload) {
        await queue.add('job', payload);
      },
      async addMany(payloads) {
        await queue.addBulk(payloads.map((data) => ({ name: 'job', data })));
      },
      async close() {
        await queue.close();
        redis.disconnect();
      },
    };
  },

  async openWorker({ redisUrl }, run) {
    const redis = new Redis(redisUrl, { maxRetriesPerRequest: null });
    const worker = new Worker<Payload>(QUEUE, async ({ data }) => run(data), {
      connection: redis,
      concurrency: CONCURRENCY,
      removeOnComplete: { count: 0 },
      removeOnFail: { count: 0 },
    });
    await worker.waitUntilReady();
    return {
      async close() {
        await worker.close();
        redis.disconnect();
      },
    };
  },
};
