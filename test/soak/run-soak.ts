import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createDb } from '@jobline/db';
import { MIGRATIONS, migrate } from '@jobline/db/migrate';
import { pause } from '@jobline/runtime';
import { Redis } from 'ioredis';
import { startFakeProviders } from '../containers/fake-providers.js';
import { createCall, register, until } from '../harness/index.js';
import { startServers } from '../long/faults/servers.js';
import { startFleet } from './fleet.js';
import { startLoad } from './load.js';
import { BATCH_SIZE, batchFor } from './mix.js';
import { entriesIn, type Sample, takeSample } from './sample.js';

export interface SoakOptions {
  /** Rounded up to whole batches. */
  jobs: number;
  minutes: number;
  /** A sample is taken, and a process replaced, this many times at equal distances. */
  samples: number;
  onSample?(sample: Sample): void;
}

export interface Soak {
  accepted: number;
  samples: Sample[];
  /** Processes. */
  replaced: number;
  /** Requests that were repeated after a 503 or without a response. */
  repeated: number;
  /** Responses other than 202 and 503. */
  unexpected: readonly string[];
  /** How the jobs ended. */
  ends: { status: string; error: string | null; count: number }[];
}

const NO_LIMIT = '1000000000';
/** Why a job may fail although every provider answers: a worker died while it sent a payment prompt. */
const ALLOWED_ERRORS = ['unknown_effect'];

/**
 * Submits jobs of all types at a constant rate while processes are replaced. Resolves when all jobs have finished and
 * Redis has no entry.
 */
export async function runSoak({ jobs, minutes, samples: count, onSample }: SoakOptions): Promise<Soak> {
  const { db, redis, providers, fleet, end } = await startAll();
  try {
    const { urls, steadyApi, steadyWorker } = fleet;
    const person = await register(createCall(steadyApi.url));
    await person.post('/org/sender-ids', { sender_id: 'ACME' });
    const batches = Math.ceil(jobs / BATCH_SIZE);
    const everyMs = (minutes * 60_000) / batches;
    const load = startLoad({ urls, token: person.token, batch: batchFor(providers), batches, everyMs });

    const startedAt = performance.now();
    const samples: Sample[] = [];
    const sources = { db, redis, apiPid: steadyApi.pid, workerPid: steadyWorker.pid };
    for (let n = 1; n <= count; n++) {
      await pause(Math.max(0, startedAt + (n * minutes * 60_000) / count - performance.now()));
      const sample = await takeSample(sources, startedAt);
      samples.push(sample);
      onSample?.(sample);
      providers.forget();
      await fleet.replaceNext();
    }
    await load.done;
    await until('all jobs to finish', async () => (await db.liveJob.count()) === 0);
    await until('Redis to be empty', async () => (await entriesIn(redis)).length === 0);
    const ends = await db.$queryRaw<Soak['ends']>`
      SELECT status::text, error_code AS error, count(*)::int AS count FROM finished_jobs GROUP BY 1, 2 ORDER BY 1, 2`;
    const [replaced, repeated, unexpected] = [fleet.replaced(), load.repeated(), load.unexpected];
    return { accepted: batches * BATCH_SIZE, samples, replaced, repeated, unexpected, ends };
  } finally {
    await end();
  }
}

/** Starts servers, providers and apps. */
async function startAll() {
  const servers = await startServers({});
  const providers = await startFakeProviders('127.0.0.1');
  const handlers = mkdtempSync(join(tmpdir(), 'jobline-soak-'));
  writeFileSync(join(handlers, 'noop.mjs'), "export default { type: 'noop', async run() { return { ok: true }; } };");
  const { url } = await servers.createDatabase();
  await migrate(url, MIGRATIONS);
  const db = createDb({ url, poolSize: 1, onIdleError: () => undefined });
  const redis = new Redis(servers.redisUrl);
  const fleet = await startFleet({
    DATABASE_URL: url,
    REDIS_URL: servers.redisUrl,
    HANDLERS_DIR: handlers,
    JWT_SECRET: 'a secret of the tests, long enough for HS256',
    RATE_LIMIT_SUBMIT_PER_S: NO_LIMIT,
    RATE_LIMIT_SUBMIT_BYTES_PER_S: NO_LIMIT,
    RATE_LIMIT_JOB_SENDS_PER_MIN: NO_LIMIT,
    ...providers.settings,
  });
  return {
    ...{ db, redis, providers, fleet },
    async end() {
      await fleet.end();
      await db.$disconnect();
      redis.disconnect();
      await providers.close();
      await servers.end();
      rmSync(handlers, { recursive: true });
    },
  };
}

/** The ends that no soak may have: none, if every job is done or failed for an allowed reason. */
export function forbiddenEnds({ ends }: Soak): Soak['ends'] {
  return ends.filter(({ status, error }) => status !== 'done' && !ALLOWED_ERRORS.includes(error ?? ''));
}

export function finished({ ends }: Soak): number {
  return ends.reduce((sum, { count }) => sum + count, 0);
}
