import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createDb, type Db } from '@jobline/db';
import { migrate } from '@jobline/db/migrate';
import { type Server, startPostgres } from '@jobline/devstack';
import {
  type AppProcess,
  type OwnRedis,
  type Person,
  register,
  spawnApi,
  spawnWorker,
  startApi,
  startOwnRedis,
  type TestApi,
  until,
} from '../harness/index.js';

const migrations = fileURLToPath(new URL('../../prisma/migrations', import.meta.url));
const LEASE_MS = 3_000;
const LAST_LINES = 20;

/** Servers and worker processes that a test may kill, and a receiver that sees what runs at the same time. */
export interface FaultyPlace {
  db: Db;
  person: Person;
  receiver: Recorder;
  /** Kills a worker without a warning, and starts another one. */
  killWorker(): Promise<void>;
  /** Does the same to an API process. Null: the only API is that of the test. */
  killApi: (() => Promise<void>) | null;
  flushRedis(): Promise<void>;
  restartPostgres(): Promise<void>;
  /** Where the jobs are, and the last lines of each process, to explain a failure. */
  describe(): Promise<string>;
  end(): Promise<void>;
}

/** A call that arrived: its `name`, and how many calls of its `group` were open then, itself included. */
export interface Arrival {
  group: string;
  name: string;
  open: number;
}

interface Recorder {
  url: string;
  arrivals: Arrival[];
  /** The bodies of the calls of the group `events`, as far as they were received completely. */
  bodies: string[];
  close(): Promise<void>;
}

export async function createFaultyPlace(workers: number, answerAfterMs: number, apis = 0): Promise<FaultyPlace> {
  const dir = await mkdtemp(join(tmpdir(), 'jobline-test-limits-'));
  await chmod(dir, 0o755); // A Postgres that drops root privileges must have access.
  const postgres = await startPostgres({ dir, settings: { fsync: 'off' } });
  await migrate(postgres.url, migrations);
  const redis = await startOwnRedis();
  const recorder = await startRecorder(answerAfterMs);
  const db = createDb({ url: postgres.url, poolSize: 2, onIdleError: () => undefined });
  const api = await startApi({ databaseUrl: postgres.url, redisUrl: redis.url, prefix: 'jobline' });
  const env = {
    DATABASE_URL: postgres.url,
    REDIS_URL: redis.url,
    WORKER_LEASE_MS: String(LEASE_MS),
    WORKER_QUEUES: 'io:20,events:20',
    OUTBOUND_ALLOW_HOSTS: new URL(recorder.url).host,
  };
  const running = await Promise.all(Array.from({ length: workers }, () => spawnWorker(env)));
  const runningApis = await Promise.all(Array.from({ length: apis }, () => spawnApi(env)));
  return {
    db,
    person: await register(api.call),
    receiver: recorder,
    async killWorker() {
      await running.shift()?.kill('SIGKILL');
      running.push(await spawnWorker(env));
    },
    killApi:
      apis === 0
        ? null
        : async () => {
            await runningApis.shift()?.kill('SIGKILL');
            runningApis.push(await spawnApi(env));
          },
    flushRedis: redis.flushAll,
    restartPostgres: () => restart(postgres),
    async describe() {
      const jobs = await db.job.groupBy({ by: ['queue', 'status', 'place'], _count: true }).catch(String);
      const lines = [...running, ...runningApis].map((app) => app.output().split('\n').slice(-LAST_LINES).join('\n'));
      return [JSON.stringify(jobs), ...lines].join('\n\n');
    },
    end: () => endAll({ running: [...running, ...runningApis], api, db, recorder, redis, postgres, dir }),
  };
}

async function restart(postgres: Server): Promise<void> {
  await postgres.stop();
  await postgres.start();
}

interface Parts {
  running: AppProcess[];
  api: TestApi;
  db: Db;
  recorder: Recorder;
  redis: OwnRedis;
  postgres: Server;
  dir: string;
}

async function endAll({ running, api, db, recorder, redis, postgres, dir }: Parts): Promise<void> {
  await Promise.all(running.map((app) => app.kill('SIGTERM')));
  await api.stop();
  await db.$disconnect();
  await recorder.close();
  await redis.end();
  await postgres.remove();
  await rm(dir, { recursive: true, force: true });
}

/** A server outside of the service. The path of a call is `/<group>/<name>`. */
async function startRecorder(answerAfterMs: number): Promise<Recorder> {
  const arrivals: Arrival[] = [];
  const bodies: string[] = [];
  const open = new Map<string, number>();
  const server = createServer((req, res) => {
    const [, group = '', name = ''] = (req.url ?? '').split('/');
    const now = (open.get(group) ?? 0) + 1;
    open.set(group, now);
    arrivals.push({ group, name, open: now });
    // Also when the worker dies.
    res.once('close', () => open.set(group, (open.get(group) ?? 1) - 1));
    let text = '';
    req.setEncoding('utf8').on('data', (part: string) => {
      text += part;
    });
    req.once('end', () => group === 'events' && bodies.push(text));
    setTimeout(() => res.writeHead(200).end(), answerAfterMs);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // The cast: a server that listens on a port has such an address.
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    arrivals,
    bodies,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

export interface LimitedJob {
  group: string;
  name: string;
  key?: string;
}

/** Submits jobs that call the receiver, in batches, and returns when all are accepted. */
export async function submitCalls(place: FaultyPlace, jobs: readonly LimitedJob[], limit: string): Promise<void> {
  for (let n = 0; n < jobs.length; n += 500) {
    const batch = jobs.slice(n, n + 500).map(({ group, name, key }) => ({
      type: 'webhook',
      payload: { url: `${place.receiver.url}/${group}/${name}`, payload: {} },
      max_retries: 20,
      limit,
      ...(key !== undefined && { key }),
    }));
    const answer = await place.person.post('/jobs/batch', { jobs: batch });
    if (answer.status !== 202) throw new Error(answer.text);
  }
}

/** Runs the faults in turn, each after some more jobs have finished, until all are done. */
export async function finishUnderFaults(place: FaultyPlace, total: number, every: number): Promise<void> {
  const faults = [place.killWorker, place.flushRedis, place.restartPostgres, ...(place.killApi ? [place.killApi] : [])];
  // Deliveries of events are jobs of another organization.
  const statuses: ('done' | 'failed')[] = ['done', 'failed'];
  const where = { orgId: place.person.orgId, status: { in: statuses } };
  const finished = async (count: number) => {
    try {
      await until(`${count} jobs to finish`, async () => (await place.db.job.count({ where }).catch(() => 0)) >= count);
    } catch (error) {
      throw new Error(`${error}\n${await place.describe()}`);
    }
  };
  for (let n = 0, next = every; next < total; n++, next += every) {
    await finished(next);
    await faults[n % faults.length]?.();
  }
  await finished(total);
}

/** The start of every attempt, by the clock of Postgres, in ms. */
export async function startsOf(db: Db): Promise<number[]> {
  const rows = await db.jobLog.findMany({ where: { kind: 'started' }, select: { at: true } });
  return rows.map(({ at }) => at.getTime()).sort((a, b) => a - b);
}
