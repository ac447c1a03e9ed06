#!/usr/bin/env node
// node fill-queues.mjs <Postgres> <Redis> <time>: fills a queue of BullMQ, pg-boss and graphile-worker each, for the test of the
// scripts in docs/migrate.md. Order 1 waits, order 2 waits for the time, and order 3 waits for its second retry. The other jobs
// have ended, run or are made by a schedule.
import { join } from 'node:path';
import { Queue, Worker } from 'bullmq';
import { installDependencies, root } from '../../packages/devstack/bin/prepare.mjs';

const [, , databaseUrl, redisUrl, time] = process.argv;
const later = new Date(time);
const fail = () => {
  throw new Error('out of paper');
};

await installDependencies(join(root, 'test/bench'), 'Installing pg-boss and graphile-worker');
const { PgBoss } = await import('pg-boss');
const { Logger, makeWorkerUtils, runOnce } = await import('graphile-worker');
await fillBullmq();
await fillPgBoss();
await fillGraphileWorker();

async function fillBullmq() {
  const connection = { url: redisUrl };
  const queue = new Queue('shop', { connection });
  await queue.add('done', {});
  await queue.add('failed', {});
  await queue.add('receipt', { order: 3 }, { attempts: 3, backoff: { type: 'fixed', delay: 3_600_000 } });
  const run = async ({ name }) => name === 'done' || fail();
  const worker = new Worker('shop', run, { connection: { ...connection, maxRetriesPerRequest: null } });
  let left = 3;
  await new Promise((resolve) => {
    const count = () => --left || resolve();
    worker.on('completed', count).on('failed', count);
  });
  await worker.close();
  await queue.add('receipt', { order: 1 });
  const timestamp = Date.now();
  const delay = later.getTime() - timestamp;
  await queue.add('receipt', { order: 2 }, { timestamp, delay, attempts: 5, priority: 3, jobId: 'order-2' });
  await queue.upsertJobScheduler('nightly', { pattern: '0 3 * * *' }, { name: 'report' });
  await queue.close();
}

async function fillPgBoss() {
  const boss = new PgBoss({ connectionString: databaseUrl, schedule: false });
  boss.on('error', (error) => console.error(error));
  await boss.start();
  await boss.createQueue('receipt', { retryLimit: 2, retryDelay: 3_600 });
  for (const data of [{ order: 3 }, { is: 'done' }, { is: 'running' }]) {
    await boss.send('receipt', data);
    const [{ id }] = await boss.fetch('receipt');
    if (data.order) await boss.fail('receipt', id);
    if (data.is === 'done') await boss.complete('receipt', id);
  }
  await boss.send('receipt', { order: 1 });
  const options = { startAfter: later, retryLimit: 5, priority: 3, singletonKey: 'c-7' };
  await boss.send('receipt', { order: 2 }, options);
  await boss.stop({ graceful: false });
}

async function fillGraphileWorker() {
  const logger = new Logger(() => () => undefined);
  const utils = await makeWorkerUtils({ connectionString: databaseUrl, logger });
  await utils.migrate();
  await utils.addJob('done', {});
  await utils.addJob('failed', {}, { maxAttempts: 1 });
  await utils.addJob('receipt', { order: 3 }, { maxAttempts: 3 });
  const taskList = { done: () => undefined, failed: fail, receipt: fail };
  await runOnce({ connectionString: databaseUrl, logger, noHandleSignals: true, taskList });
  await utils.addJob('receipt', { order: 1 });
  const options = { runAt: later, maxAttempts: 5, priority: -3, queueName: 'c-7' };
  await utils.addJob('receipt', { order: 2 }, options);
  await utils.release();
}
