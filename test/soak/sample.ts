import { readdirSync, readFileSync } from 'node:fs';
import type { Db } from '@jobline/db';
import type { Redis } from 'ioredis';

/** What must not grow, at one time. Sizes are in MiB. */
export interface Sample {
  minutes: number;
  finished: number;
  apiMiB: number;
  workerMiB: number;
  /** Open files and sockets. */
  apiFiles: number;
  workerFiles: number;
  /** Of all processes to Postgres. */
  connections: number;
  redisMiB: number;
  /** The table of the jobs that have not finished, with its indexes. */
  liveMiB: number;
  /** The whole database in KiB, divided by the finished jobs. */
  kibPerJob: number;
}

export interface Sources {
  db: Db;
  redis: Redis;
  apiPid: number;
  workerPid: number;
}

interface Sizes {
  finished: number;
  connections: number;
  live: number;
  database: number;
}

const KIB = 1_024;
const MIB = KIB ** 2;

export async function takeSample({ db, redis, apiPid, workerPid }: Sources, startedAt: number): Promise<Sample> {
  const [sizes] = await db.$queryRaw<Sizes[]>`
    SELECT (SELECT count(*) FROM finished_jobs)::int AS finished,
      (SELECT count(*) FROM pg_stat_activity WHERE datname = current_database())::int AS connections,
      pg_total_relation_size('live_jobs')::float8 AS live, pg_database_size(current_database())::float8 AS database`;
  if (!sizes) throw new Error('Postgres returned no sizes');
  const { finished, connections, live, database } = sizes;
  const redisBytes = Number(/used_memory:(\d+)/.exec(await redis.info('memory'))?.[1]);
  return {
    minutes: (performance.now() - startedAt) / 60_000,
    finished,
    apiMiB: residentMiB(apiPid),
    workerMiB: residentMiB(workerPid),
    apiFiles: openFiles(apiPid),
    workerFiles: openFiles(workerPid),
    connections,
    redisMiB: redisBytes / MIB,
    liveMiB: live / MIB,
    kibPerJob: finished === 0 ? 0 : database / KIB / finished,
  };
}

/** The keys of queues that would grow if anything leaked: entries of jobs, and lists of them. */
export async function entriesIn(redis: Redis): Promise<string[]> {
  const keys = await redis.keys('{*');
  return keys.filter((key) => !/:(meta|events|marker|id|stalled-check|sentinel|window|flood)$/.test(key));
}

function residentMiB(pid: number): number {
  return Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1]) / KIB;
}

function openFiles(pid: number): number {
  return readdirSync(`/proc/${pid}/fd`).length;
}
