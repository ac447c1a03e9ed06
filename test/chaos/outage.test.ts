import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createDb, type Db } from '@jobline/db';
import { migrate } from '@jobline/db/migrate';
import { type Server, startPostgres } from '@jobline/devstack';
import { pause } from '@jobline/runtime';
import { afterEach, beforeEach, expect, it } from 'vitest';
import {
  type OwnRedis,
  type Person,
  type Receiver,
  register,
  startApi,
  startOwnRedis,
  startReceiver,
  startTestWorker,
  type TestApi,
  until,
} from '../harness/index.js';

const migrations = fileURLToPath(new URL('../../prisma/migrations', import.meta.url));
const LEASE_MS = 4_000;
const OUTAGE_MS = 2 * LEASE_MS;

let dir: string;
let postgres: Server;
let redis: OwnRedis;
let db: Db;
let api: TestApi;
let person: Person;
let receiver: Receiver;
let workers: Awaited<ReturnType<typeof startTestWorker>>[];
let takenOver: number;

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'jobline-test-outage-'));
  await chmod(dir, 0o755); // A Postgres that drops root privileges must have access.
  postgres = await startPostgres({ dir, settings: { fsync: 'off' } });
  redis = await startOwnRedis();
  receiver = await startReceiver(() => ({ delayMs: 20 }));
  await migrate(postgres.url, migrations);
  const place = { databaseUrl: postgres.url, redisUrl: redis.url, prefix: 'outage' };
  db = createDb({ url: postgres.url, poolSize: 2, onIdleError: () => undefined });
  api = await startApi(place);
  person = await register(api.call);
  takenOver = 0;
  workers = [];
  for (let n = 0; n < 2; n++) {
    const worker = await startTestWorker({ ...place, allowHosts: [receiver.host], leaseMs: LEASE_MS });
    worker.events.on('jobs.taken-over', ({ count }) => {
      takenOver += count;
    });
    workers.push(worker);
  }
});
afterEach(async () => {
  for (const worker of workers) await worker.stop(5_000);
  await api.stop();
  await db.$disconnect();
  await receiver.close();
  await redis.end();
  await postgres.remove();
  await rm(dir, { recursive: true, force: true });
});

/** Submits jobs at a constant rate until it is stopped. Then it returns the ids of the accepted jobs. */
function submitSteadily(): { accepted(): number; stop(): Promise<string[]> } {
  const accepted: string[] = [];
  let isStopped = false;
  const loop = (async () => {
    for (let n = 0; !isStopped; n++) {
      const answer = await person.post('/jobs', {
        type: 'webhook',
        payload: { url: receiver.url, payload: { n } },
        max_retries: 0,
      });
      if (answer.status === 202) accepted.push(answer.body.id);
      else expect(answer.status).toBe(503);
      await pause(15);
    }
  })();
  return {
    accepted: () => accepted.length,
    async stop() {
      isStopped = true;
      await loop;
      return accepted;
    },
  };
}

async function expectAllOnce(accepted: string[]): Promise<void> {
  await until(
    'all accepted jobs to be done',
    async () => (await db.job.count({ where: { id: { in: accepted }, status: 'done' } })) === accepted.length,
  );
  const calls = new Map<string, number>();
  for (const { headers } of receiver.received) {
    const id = String(headers['webhook-id']);
    calls.set(id, (calls.get(id) ?? 0) + 1);
  }
  expect(accepted.filter((id) => calls.get(id) !== 1)).toEqual([]);
}

it('an outage of Postgres for two leases loses no job, runs none twice and declares no worker dead', async () => {
  const load = submitSteadily();
  await until('jobs to run', () => receiver.received.length > 20);

  await postgres.kill();
  await pause(OUTAGE_MS);
  await postgres.start();
  const before = receiver.received.length;
  await until('more jobs to run', () => receiver.received.length > before + 20);
  const accepted = await load.stop();

  expect(accepted.length).toBeGreaterThan(20);
  await expectAllOnce(accepted);
  expect(takenOver).toBe(0);
});

it('an outage of Redis for two leases loses no job and runs none twice', async () => {
  const load = submitSteadily();
  await until('jobs to run', () => receiver.received.length > 20);

  await redis.server.kill();
  const before = load.accepted();
  await pause(OUTAGE_MS);
  await until('many to be accepted without Redis', () => load.accepted() > before + 100);
  await redis.server.start();
  const accepted = await load.stop();

  await expectAllOnce(accepted);
});
