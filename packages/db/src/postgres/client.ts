import { PrismaPg } from '@prisma/adapter-pg';
import pg, { type PoolConfig } from 'pg';
import { PrismaClient } from '../generated/client.js';

/** The only client of a process, created and closed by its main.ts. */
export type Db = PrismaClient;
/** A client, or a transaction of one. */
export type DbSession = Omit<PrismaClient, '$connect' | '$disconnect' | '$on' | '$transaction' | '$extends'>;

export interface DbOptions {
  url: string;
  /** The highest number of connections. */
  poolSize: number;
  /** Called when a pooled connection breaks while idle. The pool replaces it. */
  onIdleError(error: Error): void;
  /** How long a statement may wait for a connection before it fails. */
  connectTimeoutMs?: number;
  /** The server cancels statements that run longer. */
  statementTimeoutMs?: number;
  /** Called with a function that reads the current state of the pool. */
  watchPool?(look: () => PoolStats): void;
}

/** The connections of a pool, and how many callers wait for one. */
export interface PoolStats {
  size: number;
  inUse: number;
  waiting: number;
  max: number;
}

/**
 * Settings of every connection. The time zone is UTC, because the adapter drops the offset of a timestamptz. The planner
 * assumes an SSD and does not compile: with its defaults it would read a whole large table for statements of the hot path,
 * which find few rows by key.
 */
const SESSION = '-c TimeZone=UTC -c random_page_cost=1.1 -c jit=off';

/** The connection settings of the driver's pool. `session` is added to the settings that every connection has. */
export function poolOptions(options: DbOptions, session = ''): PoolConfig {
  const { url, poolSize, connectTimeoutMs = 5_000, statementTimeoutMs = 30_000 } = options;
  return {
    connectionString: url,
    max: poolSize,
    connectionTimeoutMillis: connectTimeoutMs,
    // Trimmed, because PgBouncer does not accept a space at the end.
    options: `${SESSION} -c statement_timeout=${statementTimeoutMs} ${session}`.trimEnd(),
    // The server's own limit comes first; this one is for a server that no longer responds.
    query_timeout: statementTimeoutMs + 5_000,
    keepAlive: true,
  };
}

/**
 * Opens no connection before the first statement, so a process starts without Postgres and reports that it is not
 * ready.
 */
export function createDb(options: DbOptions): Db {
  const pool = new pg.Pool(poolOptions(options));
  options.watchPool?.(() => poolStats(pool));
  const adapter = new PrismaPg(pool, { onPoolError: options.onIdleError, disposeExternalPool: true });
  return new PrismaClient({ adapter });
}

export function poolStats({ totalCount, idleCount, waitingCount, options }: pg.Pool): PoolStats {
  return { size: totalCount, inUse: totalCount - idleCount, waiting: waitingCount, max: options.max };
}

/** Null if Postgres responds to a statement, else the error. */
export async function ping(db: Db): Promise<unknown> {
  try {
    await db.$queryRaw`SELECT 1 FROM organizations LIMIT 1`;
    return null;
  } catch (error) {
    return error;
  }
}
